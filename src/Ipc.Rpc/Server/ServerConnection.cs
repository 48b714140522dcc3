using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
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
internal sealed partial class ServerConnection : CalleeLink, ICountedConnection
{
    private const int MaxPongs = 16;
    private const int LongestFlushPause = 16;
    private static readonly TimeSpan _momentForRoom = TimeSpan.FromTicks(1000); // 100 us: a client that is reading makes room sooner

    private readonly object _write = new();
    private readonly Connection _connection;
    private readonly RingReader _requests;
    private readonly FrameBuilder _builder;
    private readonly Queue<byte[]> _outbox = new();
    private readonly ServerLoop _server;
    private RpcCaller? _caller; // made when a handler first wants to call back
    private CallEngine? _callbacks;
    private RpcFailure? _ended;
    private TaskCompletionSource<bool>? _flushed; // of the present congestion
    private long _unsent; // bytes in the outbox
    private bool _overflown; // they are more than a client is allowed that does not read
    private bool _congested;
    private bool _parked; // lent to nobody until the outbox is empty and calls that wait for their turn have begun
    private bool _clientGone; // nothing more will come: it is read to its end, whatever waits
    private bool _closed;
    private long _received; // bytes of frames; whoever reads writes it

    public ServerConnection(ServerLoop server, Connection connection, RpcPeer peer)
        : base(flags: 0)
    {
        _server = server;
        _connection = connection;
        _requests = connection.Reader;
        _builder = new FrameBuilder(connection.Writer);
        Transit = new StreamTransit(connection.Writer, connection.Reader);
        Peer = peer;
        Callee = new Callee(this, server.Host);
        connection.Closed += (_, _) => ThreadPool.UnsafeQueueUserWorkItem(static state => ((ServerConnection)state!).ReadToTheEnd(), this);
    }

    /// <summary>Answers the client's calls.</summary>
    public Callee Callee { get; }

    /// <summary>The items that are under way.</summary>
    public StreamTransit Transit { get; }

    public override RpcPeer Peer { get; }

    public override RpcCaller Caller => Volatile.Read(ref _caller) ?? MakeCaller();

    public override bool IsCongested => Volatile.Read(ref _congested);

    public override int MaxBody => _builder.MaxFrame - FrameHeader.Size;

    string ICountedConnection.Name => _server.Name;

    bool ICountedConnection.AtServer => true;

    int ICountedConnection.PendingCalls => Callee.PendingCount;

    long ICountedConnection.BytesSent => _builder.PublishedBytes;

    long ICountedConnection.Wakes => _builder.Wakes;

    long ICountedConnection.BytesReceived => Volatile.Read(ref _received);

    /// <summary>Completes when the client has made room for everything that was sent.</summary>
    public override Task Flushed()
    {
        lock (_write)
        {
            if (!_congested)
                return Task.CompletedTask;
            _flushed ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            return _flushed.Task;
        }
    }

    /// <inheritdoc/>
    public override async Task WhenRoom(int pause, CancellationToken cancel)
    {
        if (IsCongested)
            await Flushed().ConfigureAwait(false);
        else if (!Transit.HasRoom)
            await Transit.WhenRoom(cancel).ConfigureAwait(false);
        else
            await Task.Delay(pause, cancel).ConfigureAwait(false); // the ring is full of other things
    }

    /// <summary>Stops reading until there is no reason for it any more. The caller forgets the connection; it will be lent out again.</summary>
    /// <returns><see langword="false"/> when there is none already.</returns>
    public bool TryPark()
    {
        lock (_write)
        {
            bool mustWait = Callee.MustWait;
            if (mustWait && !_connection.IsOpen)
                Volatile.Write(ref _clientGone, true); // it went before it was lent: nobody will say so while it is
            _parked = _congested || (mustWait && !_clientGone);
            return _parked;
        }
    }

    /// <inheritdoc/>
    public override void ReadOn()
    {
        lock (_write)
            Unpark();
    }

    private void ReadToTheEnd()
    {
        lock (_write)
        {
            Volatile.Write(ref _clientGone, true);
            Unpark();
        }
    }

    /// <summary>Gives the connection back to the listener: it is empty.</summary>
    [MethodImpl(Tiering.Optimized)]
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

            _ended ??= ReasonOf(code, text);
            _closed = true;
            _congested = false;
            flushed = _flushed;
            _flushed = null;
            _outbox.Clear();
            if (code != CloseCode.None)
                _connection.Shutdown(code, text);
            _connection.Dispose();
        }

        RpcCensus.Remove(this);
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.ClientGone(_server.Name, Peer.ProcessId, text);
        flushed?.TrySetResult(true);
        Callee.Close();
        _callbacks?.EndAll(_ended);
        _server.Forget(this);
    }

    private protected override RpcFailure? SendMessage<T>(in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value)
    {
        try
        {
            lock (_write)
                return Encode(in header, head, method, codec, in value, out _);
        }
        catch (CorruptRegionException e)
        {
            Close(CloseCode.Corrupt, e.Message);
            return null;
        }
    }

    private protected override RpcFailure? SendItem<T>(in FrameHeader header, RpcMethod method, MessageCodec<T> codec, in T value, out int length)
    {
        length = 0;
        if (IsCongested || !Transit.HasRoom)
            return null;

        try
        {
            lock (_write)
            {
                if (_congested || !Transit.HasRoom)
                    return null;

                return Encode(in header, null, method, codec, in value, out length);
            }
        }
        catch (CorruptRegionException e)
        {
            Close(CloseCode.Corrupt, e.Message);
            return null;
        }
    }

    private protected override void SendSmall(FrameHeader header, byte[] body)
    {
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

    /// <summary>Sends a frame with a message. The caller holds the write lock.</summary>
    private RpcFailure? Encode<T>(in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value, out int length)
    {
        length = 0;
        if (_closed)
            return null; // there is nobody to tell; the call's token fires
        if (_builder.IsEncoding)
            return header.Kind == FrameKind.Item ? null : EncodeNested(in header, head, method, codec, in value);

        FrameOutcome outcome;
        try
        {
            Span<byte> body = _builder.Begin(in header, method.Id, head, intoRing: !_congested);
            var writer = new ProtoWriter(body, _builder);
            codec.Write(ref writer, in value);
            outcome = _builder.End(writer.Written);
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure
        catch (Exception e) when (e is not CorruptRegionException)
#pragma warning restore CA1031
        {
            _builder.Abandon();
            return CannotEncode(method, e);
        }

        switch (outcome)
        {
            case FrameOutcome.InRing:
                length = _builder.Length;
                if (header.Kind == FrameKind.Item)
                    Transit.Sending(length);
                _builder.Publish();
                return null;
            case FrameOutcome.Full when header.Kind == FrameKind.Item:
                _builder.Trim();
                return null; // it waits where it was made, and nothing else with it
            case FrameOutcome.Full:
                if (MakeRoom())
                    _builder.Publish();
                return null;
            default:
                int tooLong = _builder.Length;
                _builder.Trim();
                return TooLarge(method, tooLong, _builder.MaxFrame, "Connect with a larger RpcClientOptions.LoanBudget.");
        }
    }

    /// <summary>Sends a frame without a message. The caller holds the write lock.</summary>
    private void Small(FrameHeader header, byte[] body)
    {
        if (_closed || (!_congested && !_builder.IsEncoding && _builder.TrySend(in header, body)))
            return;

        var frame = new byte[FrameHeader.Size + body.Length];
        header.WriteTo(frame);
        body.CopyTo(frame, FrameHeader.Size);
        Enqueue(frame);
    }

    private void Pong(FrameHeader ping, ReadOnlySpan<byte> body)
    {
        if (_outbox.Count < MaxPongs) // a client that pings without reading the answers gets no more of them
            SendSmall(new FrameHeader(FrameKind.Pong, ping.Call), body.ToArray());
    }

    private void Enqueue(byte[] frame)
    {
        if (_overflown)
            return; // it is about to be closed
        _unsent += frame.Length;
        if (_unsent > _server.Options.MaxUnsentBytes)
        {
            _overflown = true;
            ThreadPool.UnsafeQueueUserWorkItem(static state => ((ServerConnection)state!).CloseOverflown(), this);
            return;
        }

        _outbox.Enqueue(frame);
        if (_congested)
            return;

        _congested = true;
        if (ExecutionContext.IsFlowSuppressed())
        {
            _ = FlushAsync();
            return;
        }

        using (ExecutionContext.SuppressFlow()) // it outlives the call whose answer found no room
            _ = FlushAsync();
    }

    private async Task FlushAsync()
    {
        for (int pause = 1; ; pause = Math.Min(pause * 2, LongestFlushPause))
        {
            // No thread may be kept here, and a ring tells only a sleeping thread that it has room: so we look, less and less often.
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
                    Unpark();
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

    private void CloseOverflown()
        => Close(
            CloseCode.Protocol,
            "The client does not read: more than " + _server.Options.MaxUnsentBytes + " bytes of answers wait for room (RpcServerOptions.MaxUnsentBytes).");

    /// <summary>Lends the connection out again if it is lent to nobody and nothing speaks against it. The caller holds the write lock.</summary>
    private void Unpark()
    {
        if (!_parked || _congested || (Callee.MustWait && !_clientGone))
            return;

        _parked = false;
        Return();
    }

    /// <summary>Sends from the outbox what fits into the ring. The caller holds the write lock.</summary>
    private bool FlushSome()
    {
        if (_closed)
            return false;

        int before = _outbox.Count;
        while (_outbox.Count != 0 && _builder.TrySend(_outbox.Peek()))
            _unsent -= _outbox.Dequeue().Length;
        bool progress = _outbox.Count != before;
        if (!_connection.IsOpen)
            _outbox.Clear(); // nobody reads this any more; the leader will be told
        return progress;
    }
}
