using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;

namespace Ipc;

/// <summary>Two rings between a client and a server. A client makes one with <see cref="Connect"/>, a server is given
/// one by its <see cref="Listener"/>.</summary>
/// <remarks>
/// <para>The ends are each for one thread at a time; everything else here is for any thread at any time.</para>
/// <para>
/// The region is the client's work and hostile input to the server, which checks it once and keeps the numbers. Neither
/// side has an entry of its own in it: both are participants of the listener's region, so one pidfd and one lock per
/// process tell who lives. A side closes by its close word <c>[close]</c>; what it published before is still read,
/// because the other side believes the word only after it found the ring empty and has looked once more.
/// </para>
/// <para>
/// The server sleeps on its doorbell, never on a connection: it <i>arms</i> an empty one by setting the sleeper's flag
/// of <c>to_server.data</c>. The client's publish finds the flag as if somebody slept, and instead of waking that word
/// sets the connection's ready bit and rings <c>[ready]</c> (<see cref="IRingLink.RelaySignal"/>).
/// </para>
/// </remarks>
public sealed unsafe partial class Connection : IDisposable
{
    private readonly object _sync = new();
    private readonly ConnectionHeader* _header;
    private readonly MappedView _view;       // the connection's
    private readonly Region _listenerRegion; // and the listener's: the client's attachment to it, or the server's own
    private readonly ListenerEntrance _entrance;
    private readonly Listener? _listener;    // the server's side has it
    private readonly uint _peerGeneration;
    private readonly int _peerIndex;
    private readonly PeerProcessors _processors;
    private int _disposed;
    private int _closedHere;
    private int _closedRaised;

    private Connection(
        Region region,
        ConnectionEntrance layout,
        Region listenerRegion,
        ListenerEntrance entrance,
        Listener? listener,
        int slot,
        WaitStyle style)
    {
        _view = region.View;
        _header = (ConnectionHeader*)region.Body;
        _listenerRegion = listenerRegion;
        _entrance = entrance;
        _listener = listener;
        Slot = slot;
        Id = layout.Id;
        Hello = layout.Hello;
        _peerIndex = IsServer ? slot : 0;
        _peerGeneration = Atomic.LoadAcquire(ref listenerRegion.Entry(_peerIndex)->Generation);
        _processors = IsServer
            ? new PeerProcessors(&_header->ServerProcessor, &_header->ClientProcessor)
            : new PeerProcessors(&_header->ClientProcessor, &_header->ServerProcessor);
        PeerProcessId = listenerRegion.ProcessOf(_peerIndex).Pid;
        RingGeometry written = IsServer ? layout.ToClient : layout.ToServer;
        RingGeometry read = IsServer ? layout.ToServer : layout.ToClient;
        Writer = new RingWriter(this, _view, written, style, tail: 0, free: 0, owner: 1);
        Reader = new RingReader(this, _view, read, style, position: 0, redeliverUntil: 0);
    }

    /// <summary>What this side sends.</summary>
    public RingWriter Writer { get; }

    /// <summary>What this side receives. A server reads when its listener says so; a wait on this end of it looks once
    /// a millisecond.</summary>
    public RingReader Reader { get; }

    /// <summary>The connection's number in its listener; given again later.</summary>
    public int Slot { get; }

    /// <summary>What the slot names it by.</summary>
    internal ulong Id { get; }

    /// <summary>The other side's process, as it said itself.</summary>
    public int PeerProcessId { get; }

    /// <summary>What the client said for the server's decision (server's side; empty on the client's).</summary>
    public ReadOnlyMemory<byte> Hello { get; }

    /// <summary>Whatever the user wants to find here again.</summary>
    public object? Context { get; set; }

    /// <summary>Neither side has closed, and the peer's process lives.</summary>
    public bool IsOpen =>
        Atomic.LoadAcquire(ref _closedHere) == 0 &&
        Use(static connection => connection.PeerNow == PeerState.Live, false);

    /// <summary>Why the peer closed; None when it has not, or died.</summary>
    public CloseCode PeerCloseCode =>
        (CloseCode)Use(static connection => (int)connection.PeerCloseWord, (int)CloseCode.None);

    /// <summary>The server's words for closing (client's side); null when there are none.</summary>
    public string? PeerCloseText =>
        IsServer
            ? null
            : Use(static connection => connection.PeerCloseWord == 0 ? null : connection.ReadServerText(), null);

    /// <summary>Whether the peer was last seen on the processor that the calling thread runs on: it cannot answer while
    /// this thread spins for it, so do not. For loops of one's own around <see cref="RingReader.TryRead"/>; this
    /// library's waits ask by themselves. A hint: both sides say where they are when they wait or wake.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool IsPeerOnThisProcessor() => Use(static connection => connection._processors.AreOne(), false);

    /// <summary>
    /// The peer has gone. Raised once: on the watch thread when its process died; on the thread in
    /// <see cref="Listener.Next"/> when the client closed, on the thread pool while
    /// <see cref="Listener.NextAsync(System.Threading.CancellationToken)"/> is pending. A client that waits learns of
    /// the server's orderly close from the result of its wait. What a handler throws is traced and goes no further.
    /// </summary>
    public event EventHandler<ConnectionClosedEventArgs>? Closed;

    private bool IsServer => _listener is not null;

    /// <summary>Closes with a code and (server) a text for the other side, without freeing anything. What was sent
    /// before is still read there. Waits of this side return Closed. No effect when this side has closed
    /// before.</summary>
    /// <param name="code">Not None.</param>
    /// <param name="text">Cut to 240 bytes of UTF-8; a client's is not carried.</param>
    public void Shutdown(CloseCode code, string? text = null)
    {
        lock (_sync)
        {
            if (Atomic.Exchange(ref _closedHere, 1) != 0 || !_view.TryUse())
                return;
            try
            {
                Writer.Control.End(IpcStatus.Closed); // before the peer can answer by closing too
                Reader.Control.End(IpcStatus.Closed);
                if (IsServer)
                {
                    if (text is not null)
                        WriteServerText(text);
                    Atomic.StoreRelease(ref _header->ServerClose, (uint)code); // [close]
                }
                else
                {
                    Atomic.StoreRelease(ref _header->ClientClose, (uint)code); // [close]
                }

                FaultPoints.Pass(FaultPoints.ConnectionCloseWord);
                SignalAll();
                if (!IsServer)
                    RingDoorbell();
            }
            finally
            {
                _view.Unuse();
            }
        }

        if (IsServer)
            TellListener();
    }

    /// <summary>Closes this side (Normal, unless it was closed otherwise) and frees it. The peer reads what was
    /// published, then gets PeerClosed. Waits of other threads return Closed first. Idempotent, any thread. A request
    /// that was not answered is refused.</summary>
    public void Dispose()
    {
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;

        if (IsServer)
            DisposeServerSide();
        else
            DisposeClientSide();
    }

    /// <summary>What becomes of the memory once both ends are closed.</summary>
    private bool CloseEnds()
    {
        bool writerQuiet = Writer.Close();
        return Reader.Close() && writerQuiet;
    }

    private static void Free(MappedView view, bool quiet)
    {
        if (quiet)
            view.Dispose();
        else
            view.LeaveToCollector();
    }

    /// <summary>Signals every waiter of the connection.</summary>
    private void SignalAll()
    {
        RingHeader* toServer = (RingHeader*)(_view.Base + (IsServer ? Reader : (RingEnd)Writer).Geometry.HeaderOffset);
        RingHeader* toClient = (RingHeader*)(_view.Base + (IsServer ? (RingEnd)Writer : Reader).Geometry.HeaderOffset);
        Waiter.SignalAlways(&toServer->Data);
        Waiter.SignalAlways(&toServer->Space);
        Waiter.SignalAlways(&toClient->Data);
        Waiter.SignalAlways(&toClient->Space);
        Waiter.SignalAlways(&_header->Session);
    }

    /// <summary>On the watch thread, after a recovery of the listener's region: is it our peer that died?</summary>
    internal void PeersRecovered()
    {
        if (!_view.TryUse())
            return;
        try
        {
            if (PeerNow != PeerState.Died)
                return;
            Writer.Control.WakeSleepers();
            Reader.Control.WakeSleepers();
            Waiter.SignalAlways(&_header->Session);
            if (IsServer)
                RingDoorbell(); // who freed the entry may have been killed before it did
        }
        finally
        {
            _view.Unuse();
        }

        RaiseClosed(IpcStatus.PeerDied);
    }

    /// <summary>Raises <see cref="Closed"/>, once.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="onPool">This thread serves others, and is none for the user's code.</param>
    internal void RaiseClosed(IpcStatus reason, bool onPool = false)
    {
        if (Atomic.Exchange(ref _closedRaised, 1) != 0 || Closed is null)
            return;
        if (onPool)
            ThreadPool.QueueUserWorkItem(_ => InvokeClosed(reason));
        else
            InvokeClosed(reason);
    }

    private void InvokeClosed(IpcStatus reason)
    {
        try
        {
            Closed?.Invoke(this, new ConnectionClosedEventArgs(reason, PeerProcessId));
        }
#pragma warning disable CA1031 // a handler's failure is its author's; this thread serves others too
        catch (Exception error)
#pragma warning restore CA1031
        {
            Trace.TraceError("A Closed handler threw: " + error);
        }
    }

    // [close]
    private uint PeerCloseWord =>
        Atomic.LoadAcquire(ref IsServer ? ref _header->ClientClose : ref _header->ServerClose);

    /// <summary>Left, Died or Live, from shared memory. The close word first: who closes leaves the table
    /// afterwards.</summary>
    private PeerState PeerNow
    {
        [MethodImpl(Tiering.Optimized)]
        get
        {
            if (PeerCloseWord != 0)
                return PeerState.Left;
            ParticipantEntry* entry = _listenerRegion.Entry(_peerIndex);
            bool live = Atomic.LoadAcquire(ref entry->State) == ParticipantEntry.Live &&
                Atomic.LoadAcquire(ref entry->Generation) == _peerGeneration;
            return live ? PeerState.Live : PeerCloseWord != 0 ? PeerState.Left : PeerState.Died;
        }
    }

    /// <summary>Reads shared memory from any thread.</summary>
    [MethodImpl(Tiering.Optimized)]
    private T Use<T>(Func<Connection, T> read, T whenGone)
    {
        if (!_view.TryUse())
            return whenGone;
        try
        {
            if (!_listenerRegion.View.TryUse())
                return whenGone;
            try
            {
                return read(this);
            }
            finally
            {
                _listenerRegion.View.Unuse();
            }
        }
        finally
        {
            _view.Unuse();
        }
    }

    private string? ReadServerText()
    {
        uint length = Math.Min(Atomic.LoadAcquire(ref _header->ServerTextLength), ConnectionHeader.TextCapacity);
        byte[] copy = new ReadOnlySpan<byte>(_header->ServerText, (int)length).ToArray();
        return length == 0 ? null : Encoding.UTF8.GetString(copy);
    }

    private void WriteServerText(string? text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text ?? "");
        int length = Math.Min(bytes.Length, ConnectionHeader.TextCapacity);
        while (length < bytes.Length && length > 0 && (bytes[length] & 0xC0) == 0x80)
            length--; // not in the middle of a character
        bytes.AsSpan(0, length).CopyTo(new Span<byte>(_header->ServerText, ConnectionHeader.TextCapacity));
        Atomic.StoreRelease(ref _header->ServerTextLength, (uint)length);
    }
}
