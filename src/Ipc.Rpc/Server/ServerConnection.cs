using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// Reading belongs to the leader that the connection is lent to. Writing belongs to whoever holds the write lock: the leader
// after a synchronous handler, any thread after an asynchronous one, the pumps of streams.
//
// Nobody waits long for a client that does not read. A frame that finds the ring full waits a moment for room; then it goes to
// the outbox, and so does every later one: the connection is congested. A congested connection is not read either, so its client
// can occupy no more than its own ring and the answers to what it has already sent. A task empties the outbox as room appears and
// lends the connection out again.

/// <summary>The server's side of one connection.</summary>
internal sealed partial class ServerConnection
{
    private const int MaxPongs = 16;
    private const int LongestFlushPause = 16;
    private static readonly TimeSpan _momentForRoom = TimeSpan.FromTicks(1000); // 100 us: a client that is reading makes room sooner

    private readonly object _write = new();
    private readonly Connection _connection;
    private readonly RingReader _requests;
    private readonly FrameBuilder _builder;
    private readonly Queue<byte[]> _outbox = new();
    private readonly Dictionary<ulong, ServerCall> _calls = new(); // those that frames may come for; its own lock
    private readonly ServerLoop _server;
    private ServerCall? _spare;
    private TaskCompletionSource<bool>? _flushed; // of the present congestion
    private bool _congested;
    private bool _parked; // lent to nobody until the outbox is empty
    private bool _closed;

    public ServerConnection(ServerLoop server, Connection connection)
    {
        _server = server;
        _connection = connection;
        _requests = connection.Reader;
        _builder = new FrameBuilder(connection.Writer);
        ClientProcessId = connection.PeerProcessId;
    }

    public int ClientProcessId { get; }

    public bool IsCongested => Volatile.Read(ref _congested);

    public Connection Connection => _connection;

    /// <summary>Sends a response or an item. Does not wait for a client that does not read.</summary>
    /// <returns><see langword="false"/> when an error was sent instead: the message is too large or cannot be encoded.</returns>
    public bool Send<TRequest, TResponse>(FrameKind kind, FrameHeader request, RpcMethod<TRequest, TResponse> method, in TResponse value)
    {
        if (request.IsOneWay)
            return true;

        try
        {
            lock (_write)
                return Encode(kind, request, method, in value);
        }
        catch (CorruptRegionException e)
        {
            Close(CloseCode.Corrupt, e.Message);
            return false;
        }
    }

    public void SendError(FrameHeader request, RpcStatus status, string? type, string text)
        => SendSmall(request, new FrameHeader(FrameKind.Error, request.Call, (ushort)status), new ErrorBody(type, text).Encode(_builder.MaxFrame - FrameHeader.Size));

    public void SendEnd(FrameHeader request) => SendSmall(request, new FrameHeader(FrameKind.End, request.Call), Array.Empty<byte>());

    /// <summary>Completes when the client has made room for everything that was sent.</summary>
    public Task Flushed()
    {
        lock (_write)
        {
            if (!_congested)
                return Task.CompletedTask;
            _flushed ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            return _flushed.Task;
        }
    }

    /// <summary>Stops reading until the outbox is empty. The caller forgets the connection; it will be lent out again.</summary>
    /// <returns><see langword="false"/> when it is not congested any more.</returns>
    public bool TryPark()
    {
        lock (_write)
        {
            _parked = _congested;
            return _parked;
        }
    }

    /// <summary>Gives the connection back to the listener: it is empty.</summary>
    public void Return()
    {
        lock (_write)
        {
            if (!_closed)
                _server.Listener.Return(_connection);
        }
    }

    /// <summary>Ends it. Any thread: whoever reads it meanwhile finds nothing more.</summary>
    /// <param name="code">What to tell the client; None when it has gone.</param>
    /// <param name="text">The reason, for the client.</param>
    public void Close(CloseCode code, string text)
    {
        TaskCompletionSource<bool>? flushed;
        lock (_write)
        {
            if (_closed)
                return;

            _closed = true;
            _congested = false;
            flushed = _flushed;
            _flushed = null;
            _outbox.Clear();
            if (code != CloseCode.None)
                _connection.Shutdown(code, text);
            _connection.Dispose();
        }

        flushed?.TrySetResult(true);
        CancelAll();
        _server.Forget(this);
    }

    private bool Encode<TRequest, TResponse>(FrameKind kind, FrameHeader request, RpcMethod<TRequest, TResponse> method, in TResponse value)
    {
        if (_closed)
            return true; // there is nobody to tell; the call's token fires

        FrameOutcome outcome;
        try
        {
            Span<byte> body = _builder.Begin(new FrameHeader(kind, request.Call), method.Id, intoRing: !_congested);
            var writer = new ProtoWriter(body, _builder);
            method.Response.Write(ref writer, in value);
            outcome = _builder.End(writer.Written);
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure
        catch (Exception e) when (e is not CorruptRegionException)
#pragma warning restore CA1031
        {
            _builder.Abandon();
            Error(request.Call, RpcStatus.Internal, null, "What " + method.FullName + " returned cannot be encoded: " + e.Message);
            return false;
        }

        switch (outcome)
        {
            case FrameOutcome.InRing:
                _builder.Publish();
                return true;
            case FrameOutcome.Full:
                if (!_congested && _builder.ClaimSpilled(Deadline.After(_momentForRoom), CancellationToken.None) == IpcStatus.Ok)
                    _builder.Publish();
                else
                    Enqueue(_builder.Spilled.ToArray());
                return true;
            default:
                Error(
                    request.Call, RpcStatus.ResourceExhausted, null,
                    "What " + method.FullName + " returned takes " + _builder.Length + " bytes; the connection to the client carries at most " + _builder.MaxFrame
                    + ". Connect with a larger RpcClientOptions.LoanBudget.");
                _builder.Trim();
                return false;
        }
    }

    private void SendSmall(FrameHeader request, FrameHeader header, byte[] body)
    {
        if (request.IsOneWay)
            return;

        try
        {
            lock (_write)
                Small(header, body);
        }
        catch (CorruptRegionException e)
        {
            Close(CloseCode.Corrupt, e.Message);
        }
    }

    private void Error(ulong call, RpcStatus status, string? type, string text)
        => Small(new FrameHeader(FrameKind.Error, call, (ushort)status), new ErrorBody(type, text).Encode(_builder.MaxFrame - FrameHeader.Size));

    /// <summary>Sends a frame without a message. The caller holds the write lock.</summary>
    private void Small(FrameHeader header, byte[] body)
    {
        if (_closed || (!_congested && _builder.TrySend(in header, body)))
            return;

        var frame = new byte[FrameHeader.Size + body.Length];
        header.WriteTo(frame);
        body.CopyTo(frame, FrameHeader.Size);
        Enqueue(frame);
    }

    private void Pong(FrameHeader ping, ReadOnlySpan<byte> body)
    {
        if (_outbox.Count < MaxPongs) // a client that pings without reading the answers gets no more of them
            SendSmall(ping, new FrameHeader(FrameKind.Pong, ping.Call), body.ToArray());
    }

    private void Enqueue(byte[] frame)
    {
        _outbox.Enqueue(frame);
        if (_congested)
            return;

        _congested = true;
        _ = FlushAsync();
    }

    private async Task FlushAsync()
    {
        for (int pause = 1; ; pause = Math.Min(pause * 2, LongestFlushPause))
        {
            await Task.Delay(pause).ConfigureAwait(false);
            TaskCompletionSource<bool>? flushed;
            try
            {
                lock (_write)
                {
                    if (FlushSome())
                        pause = 1;
                    if (_closed)
                        return;
                    if (_outbox.Count != 0)
                        continue;

                    _congested = false;
                    flushed = _flushed;
                    _flushed = null;
                    if (_parked)
                    {
                        _parked = false;
                        Return();
                    }
                }
            }
            catch (CorruptRegionException e)
            {
                Close(CloseCode.Corrupt, e.Message);
                return;
            }

            flushed?.TrySetResult(true);
            return;
        }
    }

    /// <summary>Sends from the outbox what fits into the ring. The caller holds the write lock.</summary>
    private bool FlushSome()
    {
        if (_closed)
            return false;

        int before = _outbox.Count;
        while (_outbox.Count != 0 && _builder.TrySend(_outbox.Peek()))
            _outbox.Dequeue();
        bool progress = _outbox.Count != before;
        if (!_connection.IsOpen)
            _outbox.Clear(); // nobody reads this any more; the leader will be told
        return progress;
    }
}
