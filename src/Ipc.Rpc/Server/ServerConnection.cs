using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// Reading belongs to the leader that the connection is lent to. Writing belongs to whoever holds the write lock: the
// leader after a synchronous handler, any thread after an asynchronous one, the pumps of streams.
//
// Nobody waits long for a client that does not read. A frame that finds the ring full waits a moment for room; then it
// goes to the outbox, and so does every later one: the connection is congested. A congested connection is not read
// either, so its client can occupy no more than its own ring and the answers to what it has already sent. A task
// empties the outbox as room appears and lends the connection out again.

/// <summary>The server's side of one connection.</summary>
internal sealed partial class ServerConnection : CalleeLink, ICountedConnection
{
    private const int MaxPongs = 16;
    private const int LongestFlushPause = 16;
    // 100 us: a client that is reading makes room sooner
    private static readonly TimeSpan _momentForRoom = TimeSpan.FromTicks(1000);

    private readonly object _write = new();
    private readonly Connection _connection;
    private readonly RingReader _requests;
    private readonly FrameBuilder _builder;
    private readonly Queue<byte[]> _outbox = new();
    private readonly ServerLoop _server;
    private RpcCaller? _caller; // [made] when a handler first wants to call back, as the next
    private CallEngine? _callbacks; // [made]
    private RpcFailure? _ended; // [made]
    private TaskCompletionSource<bool>? _flushed; // of the present congestion
    private long _unsent; // bytes in the outbox
    private bool _overflown; // they are more than a client is allowed that does not read
    private bool _congested; // [peek]
    private bool _parked; // lent to nobody until the outbox is empty and calls that wait for their turn have begun
    private bool _clientGone; // nothing more will come: it is read to its end, whatever waits
    private bool _closed; // [peek]
    private long _endsAt = long.MaxValue; // [flag] where the first request lies that came too late
    private long _received; // [count] bytes of frames; whoever reads writes it

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
        connection.Closed += (_, _) => ThreadPool.UnsafeQueueUserWorkItem(
            static state => ((ServerConnection)state!).ReadToTheEnd(), this);
    }

    /// <summary>Answers the client's calls.</summary>
    public Callee Callee { get; }

    /// <summary>The items that are under way.</summary>
    public StreamTransit Transit { get; }

    public override RpcPeer Peer { get; }

    public override RpcCaller Caller => Volatile.Read(ref _caller) ?? MakeCaller();

    public override WaitMode WaitMode => _server.Options.WaitMode;

    public override bool IsCongested => Volatile.Read(ref _congested);

    /// <summary>Whether its client waits for anything: a call is in hand, or its answer waits for room. In this order:
    /// an answer waits for room before its call is out of hand.</summary>
    public bool HasCalls => Callee.HasCalls || IsCongested;

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
    public override async Task WhenRoom(int pause, CancellationToken cancellationToken)
    {
        if (IsCongested)
            await Flushed().ConfigureAwait(false);
        else if (!Transit.HasRoom)
            await Transit.WhenRoom(cancellationToken).ConfigureAwait(false);
        else
            await Task.Delay(pause, cancellationToken).ConfigureAwait(false); // the ring is full of other things
    }

    /// <summary>Stops reading until there is no reason for it any more. The caller forgets the connection; it will be
    /// lent out again.</summary>
    /// <returns><see langword="false"/> when there is none already.</returns>
    public bool TryPark()
    {
        lock (_write)
        {
            bool mustWait = Callee.MustWait;
            if (mustWait && !_connection.IsOpen)
                _clientGone = true; // it went before it was lent: nobody will say so while it is
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
            _clientGone = true;
            Unpark();
        }
    }

    /// <summary>Asks what the listener would tell if a thread had the time to ask it. Nobody waits for the calls of a
    /// client that has gone.</summary>
    public void NoticeEnd()
    {
        bool isOpen;
        lock (_write)
            isOpen = _closed || _connection.IsOpen;
        if (isOpen)
            return;
        Callee.Close();
        ReadToTheEnd();
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
            if (code == CloseCode.Shutdown && HandledTo() is >= 0 and var handledTo)
                _connection.Shutdown(code, text, handledTo);
            else if (code != CloseCode.None)
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

    /// <inheritdoc/>
    public override void NoteEnding()
    {
        if (_endsAt == long.MaxValue)
            Volatile.Write(ref _endsAt, _requests.ReleasedTo); // all before it have been released
    }

    /// <summary>From where on no request was handled or will be: the server drains, so that what is read now is
    /// refused. -1 while one is in hand that may have been read before.</summary>
    private long HandledTo()
    {
        if (!_server.Host.IsDraining || Callee.HasInHand) // [hand]
            return -1;
        long released = _requests.ReleasedTo; // first: one that was refused and released has said where it lay
        return Math.Min(released, Volatile.Read(ref _endsAt));
    }

    [MethodImpl(Tiering.Optimized)]
    private protected override RpcFailure? SendMessage<T>(
        in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value)
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

    [MethodImpl(Tiering.Optimized)]
    private protected override RpcFailure? SendItem<T>(
        in FrameHeader header, RpcMethod method, MessageCodec<T> codec, in T value, out int length)
    {
        length = 0;
        if (IsCongested)
            return null;

        try
        {
            lock (_write)
            {
                if (_congested || !Transit.HasRoomNow)
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
    [MethodImpl(Tiering.Optimized)]
    private RpcFailure? Encode<T>(
        in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value, out int length)
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
                return TooLarge(
                    method, tooLong, _builder.MaxFrame, "Connect with a larger RpcClientOptions.LoanBudget.");
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
}
