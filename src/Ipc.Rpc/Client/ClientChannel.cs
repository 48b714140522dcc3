using System;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// One connection to a server, from connect to its end; a client that reconnects makes a new one.
//
// Two rights exist: to write (a lock) and to read (ReadTurn). A request is encoded under the first straight into the
// ring. A synchronous caller then takes the second and reads until its own reply has come, completing whatever other
// calls it meets. An asynchronous caller that begins to await does the same for a moment: most replies come before a
// thread could be woken. Only then it leaves the reading to a background reader, which takes the turn only while
// somebody waits so.
//
// The end. Whatever notices first that the connection is over (a reader, a writer, Dispose) sets _ended once, closes
// this side and ends all pending calls. A call that is being added meanwhile is either seen by that sweep or sees
// _ended itself [ended]. The mapping is freed by the last one who could touch it: that takes both rights, for good.

/// <summary>The client's side of one connection.</summary>
#pragma warning disable CA1001 // End disposes the timer and the connection, and is what its owner calls
internal sealed partial class ClientChannel : RpcLink, ICountedConnection
#pragma warning restore CA1001
{
    private const int LockSlice = 50;
    private const int ShortestRecord = 16;

    // a forgotten client's is closed in order, before the collector takes its memory
    private static readonly ConcurrentDictionary<Connection, bool> s_open = new();

    private readonly object _write = new();
    private readonly object _telling = new();
    private readonly ReadTurn _turn = new();
    private readonly Connection _connection;
    private readonly RingWriter _ring;
    private readonly RingReader _replies;
    private readonly FrameBuilder _builder;
    private readonly ControlQueue _control;
    private readonly RequestQueue _requests;
    private readonly BackgroundReader _background;
    private readonly long _maxUnsent;
    private readonly long _mostLeft; // records that the ring can hold
    private readonly WaitMode _waitMode;
    private readonly string _name;
    private readonly ClientSession _owner;
    private Action<RpcFailure>? _whenEnded;
    private Callee? _callee; // answers the server's calls, if there is anything to be called
    private RpcFailure? _ended;
    private int _isLeft; // [flag] its server is ending, and takes no further calls
    private long _received; // [count] bytes of frames; of whoever has the turn

    /// <param name="owner">The session: what batches are told apart by.</param>
    /// <param name="name">The server's name.</param>
    /// <param name="connection">The connection, which becomes its own.</param>
    /// <param name="options">How to wait, and how much.</param>
    public ClientChannel(ClientSession owner, string name, Connection connection, RpcClientOptions options)
    {
        _owner = owner;
        _name = name;
        _connection = connection;
        s_open[connection] = true;
        _ring = connection.Writer;
        _replies = connection.Reader;
        _builder = new FrameBuilder(_ring);
        Transit = new StreamTransit(_ring, _replies);
        _control = new ControlQueue(options.MaxUnsentBytes);
        _requests = new RequestQueue(options.MaxQueuedBytes);
        _maxUnsent = options.MaxUnsentBytes;
        _mostLeft = Math.Max(options.ToClientCapacity, 256 * 1024) / ShortestRecord;
        _waitMode = options.WaitMode;
        _patience = PatienceOf(options.WaitMode);
        _background = new BackgroundReader(this, _turn, options.WaitMode);
        Engine = new CallEngine(this, side: 0, options.MaxPendingCalls);
        ServerProcessId = connection.PeerProcessId;
        ServerUserId = connection.PeerUserId;
        RpcCensus.Add(this);
    }

    public int ServerProcessId { get; }

    public uint? ServerUserId { get; }

    /// <inheritdoc/>
    public override RpcFailure? Ended => Volatile.Read(ref _ended); // [ended]

    /// <summary>Whether calls may be made on it, as far as is known: it has not ended, and its server is not about
    /// to.</summary>
    public bool TakesCalls => Ended is null && Volatile.Read(ref _isLeft) == 0;

    /// <summary>Whether its server is about to end, and still there: it answers the calls that it has.</summary>
    public bool IsLeaving => Volatile.Read(ref _isLeft) != 0 && Ended is null;

    /// <summary>The calls made on it.</summary>
    public CallEngine Engine { get; }

    string ICountedConnection.Name => _name;

    bool ICountedConnection.AtServer => false;

    int ICountedConnection.PendingCalls => Engine.CountPending();

    long ICountedConnection.BytesSent => _builder.PublishedBytes;

    long ICountedConnection.Wakes => _builder.Wakes;

    long ICountedConnection.BytesReceived => Volatile.Read(ref _received);

    public override FrameBuilder Builder => _builder;

    public override StreamTransit Transit { get; }

    public override WaitMode WaitMode => _waitMode;

    public override bool IsDrained => _replies.IsDrained;

    public override bool IsReaderAway => Volatile.Read(ref _isReaderAway);

    public override string Peer => PeerName.OfServer(_name, ServerProcessId);

    public override object BatchOwner => _owner;

    /// <summary>Sends a frame without a message, now or, when the ring is full or being written to, as soon as
    /// possible.</summary>
    public override void SendControl(FrameHeader header, byte[]? body = null)
    {
        if (_control.Add(new ControlFrame(header, body)))
            FlushControl();
        else
            EndOverflown();
    }

    /// <inheritdoc/>
    public override async Task WhenRoom(int pause, CancellationToken cancellationToken)
    {
        if (!Transit.HasRoom)
        {
            await Transit.WhenRoom(cancellationToken).ConfigureAwait(false);
            return;
        }

        await Task.Delay(pause, cancellationToken).ConfigureAwait(false); // the ring is full of other things
        ReadWhatIsThere(); // the server may itself be waiting for room to answer
    }

    [MethodImpl(Tiering.Optimized)]
    public override bool CheckPeer() => _ring.IsPeerLive;

    public override RpcFailure Broken(CorruptRegionException e)
    {
        End(Corrupted(e));
        return Ended!;
    }

    public override void PublishHeld()
    {
        lock (_write)
        {
            if (_ended is null)
                _builder.Flush();
        }

        AfterWrite();
    }

    /// <summary>Says whom to tell when it ends. Once, before it is used.</summary>
    public void WhenEnded(Action<RpcFailure> told) => _whenEnded = told;

    /// <inheritdoc/>
    public override void Leave()
    {
        if (Volatile.Read(ref _isLeft) != 0 || Interlocked.Exchange(ref _isLeft, 1) != 0)
            return;
        _owner.Left(this);
        _background.Watch(); // nobody calls on it any more, who would notice its end
    }

    /// <summary>Leaves it, if its server has gone: without a call nobody reads, and notices. What the server had sent
    /// is read to its end.</summary>
    public void LeaveIfGone()
    {
        if (!_connection.IsOpen)
            Leave();
    }

    /// <summary>Tells that, if it has ended, or was left, and nobody was told. Who makes the next connection comes here
    /// first: whoever ends this one may not have got so far.</summary>
    public void TellEnd()
    {
        RpcFailure? reason = Ended;
        if (reason is null && Volatile.Read(ref _isLeft) != 0)
            reason = _connection.IsOpen
                ? RpcFailure.OfConnection(PeerName.First(Peer) + " is stopping.")
                : ReasonOfPeer();
        if (reason is null)
            return;
        lock (_telling)
        {
            Action<RpcFailure>? told = _whenEnded;
            _whenEnded = null;
            told?.Invoke(reason);
        }
    }

    /// <summary>Answers the server's calls. Once, before it is used.</summary>
    public void Serve(ServiceHost host) => _callee = new Callee(new ClientCalleeLink(this, _owner.StreamWindow), host);

    /// <summary>Who reads: for tests that have to know who waits for whom.</summary>
    internal ReadTurn Turn => _turn;

    /// <summary>Whether small frames wait for room or for a writer.</summary>
    public bool HasBacklog => _control.HasAny;

    /// <summary>Reads even while nobody waits for anything: for what the server does of its own accord. Any number of
    /// times.</summary>
    public void Watch() => _background.Watch();

    /// <summary>Whether it is read for ever: for tests.</summary>
    internal bool IsWatched => _background.IsWatching;

    public override void AddAwaited() => _background.Add();

    public override void RemoveAwaited() => _background.Remove();

    public override void WakeReader() => _background.Wake();
}
