using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;

namespace Ipc;

/// <summary>Two rings between a client and a server, one in each direction. A client gets one from
/// <see cref="Connect"/>, a server from its <see cref="Listener"/>.</summary>
/// <remarks>
/// <para>One thread at a time may use each end. Everything else may be used by any thread at any time.</para>
/// <para>The region is the client's work and hostile input to the server, which checks it once and keeps the numbers.
/// Neither side has an entry of its own in it: both are participants of the listener's region, so one pidfd and one
/// lock per process tell who lives. A side closes by its close word <c>[close]</c>; what it published before is still
/// read, because the other side believes the word only after it found the ring empty and has looked once more.
/// </para>
/// <para>The server sleeps on its doorbell, never on a connection: it <i>arms</i> an empty one by setting the
/// sleeper's flag of <c>to_server.data</c>. The client's publish finds the flag as if somebody slept, and instead of
/// waking that word sets the connection's ready bit and rings <c>[ready]</c> (<see cref="IRingLink.RelaySignal"/>).
/// </para>
/// </remarks>
public sealed unsafe partial class Connection : IDisposable
{
    private readonly object _sync = new();
    private readonly ConnectionHeader* _header;
    private readonly MappedView _view;       // the connection's
    private readonly Region _listenerRegion; // and the listener's: the client's attachment to it, or the server's own
    private readonly ListenerEntrance _entrance;
    private readonly Region _region; // whose file is closed, unless what grows needs it
    private readonly Listener? _listener;    // the server's side has it
    private readonly uint _peerGeneration;
    private readonly int _peerIndex;
    private int _peerGone; // it was asked for, and was not there
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
        _region = region;
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
        PeerUserId = IsServer ? region.User : listenerRegion.User; // who makes a region owns its file
        RingGeometry written = IsServer ? layout.ToClient : layout.ToServer;
        RingGeometry read = IsServer ? layout.ToServer : layout.ToClient;
        Writer = new RingWriter(this, _view, written, style, tail: 0, free: 0, owner: 1);
        Watched = Reader = new RingReader(this, _view, read, style, position: 0, redeliverUntil: 0);
    }

    /// <summary>The end that sends to the peer.</summary>
    public RingWriter Writer { get; }

    /// <summary>The end that receives from the peer. A server reads when its listener reports the connection, or waits
    /// here, and has not returned it to the listener: such a thread looks whenever any client of the listener
    /// rings.</summary>
    public RingReader Reader { get; }

    /// <summary>The connection's number in its listener. A later connection may get the same number.</summary>
    public int Slot { get; }

    /// <summary>On a server: what its listener watches for records; a session's are in its named connection. Set before
    /// it is returned to the listener for the first time.</summary>
    internal RingReader Watched { get; set; }

    /// <summary>The user of this connection inside the library; null: none.</summary>
    internal object? Owner { get; set; }

    /// <summary>What the slot names it by.</summary>
    internal ulong Id { get; }

    /// <summary>The peer's process id, as the peer wrote it: it is not verified.</summary>
    public int PeerProcessId { get; }

    /// <summary>The user at the other end, as the kernel says: who owns the file of a region that the peer has made. No
    /// peer can choose it. A server knows it before it accepts, and a client knows its server's.
    /// <see langword="null"/> on Windows, where all who meet are one user.</summary>
    public uint? PeerUserId { get; }

    /// <summary>On the server's side what the client passed as <see cref="ConnectOptions.Hello"/>; empty on the
    /// client's side.</summary>
    public ReadOnlyMemory<byte> Hello { get; }

    /// <summary>The version of the protocol that both sides speak: the newest that both have; the oldest of this side's
    /// when the other one says nothing of protocols; 0 when this side does not. See
    /// <see cref="ConnectOptions.Protocol"/>.</summary>
    public int ProtocolVersion { get; internal set; }

    /// <summary>An object of the user's; the library does not use it.</summary>
    public object? Context { get; set; }

    /// <summary>Whether neither side has closed and the peer's process lives.</summary>
    public bool IsOpen =>
        Atomic.LoadAcquire(ref _closedHere) == 0 &&
        Use(static connection => connection.PeerNow == PeerState.Live, false);

    /// <summary>Has the peer's process ended? The system is asked, not the watch, which may not have been told yet. If
    /// it has, this is not open any more, whoever looks.</summary>
    internal void AskForPeer() => Use(
        static connection =>
        {
            if (connection.PeerNow == PeerState.Live && connection._listenerRegion.HasDied(connection._peerIndex))
                Atomic.StoreRelease(ref connection._peerGone, 1);
            return true;
        },
        false);

    /// <summary>The code with which the peer closed; None if it has not closed, or has died.</summary>
    public CloseCode PeerCloseCode =>
        (CloseCode)Use(static connection => (int)connection.PeerCloseWord, (int)CloseCode.None);

    /// <summary>On the client's side the text with which the server closed; null if there is none.</summary>
    public string? PeerCloseText =>
        IsServer
            ? null
            : Use(static connection => connection.PeerCloseWord == 0 ? null : connection.ReadServerText(), null);

    /// <summary>On the client's side how far the server that has closed says it has handled what was sent: no record
    /// that begins at or behind that position (<see cref="RingWriter.Position"/>) was handled, or will be.
    /// <see langword="null"/> if it has not closed, has died, or did not say; then nothing is known.</summary>
    public long? PeerHandledTo
    {
        get
        {
            ulong word = IsServer ? 0 : Use(static connection => connection.HandledByPeer, 0UL);
            return word is > 0 and <= long.MaxValue ? (long)word - 1 : null;
        }
    }

    /// <summary>Whether the peer last ran on the processor of the calling thread. If so, do not spin: the peer cannot
    /// run meanwhile. Use it in your own loops around <see cref="RingReader.TryRead"/>; the library's waits check by
    /// themselves. It is a hint: each side records its processor only when it waits or wakes the other.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool IsPeerOnThisProcessor() => Use(static connection => connection._processors.AreOne(), false);

    /// <summary>Raised once: on a server when the client has closed or died, on a client when the server has died. When
    /// the peer's process died, it is raised on a background thread. On a server whose client closed, it is raised on
    /// the thread in <c>Listener.Next</c>, or on the thread pool while
    /// <see cref="Listener.NextAsync(System.Threading.CancellationToken)"/> is pending. A client gets the server's
    /// close as the result of its next wait, not here. Exceptions of handlers are traced.</summary>
    public event EventHandler<ConnectionClosedEventArgs>? Closed;

    private bool IsServer => _listener is not null;

    /// <summary>Closes this side with a code and, on a server, a text for the client; it frees nothing. The peer can
    /// still read what was sent before. Waits of this side return Closed. It has no effect if this side is closed
    /// already.</summary>
    /// <param name="code">Any code but None.</param>
    /// <param name="text">Cut to 240 bytes of UTF-8. A client's text is ignored.</param>
    public void Shutdown(CloseCode code, string? text = null) => Shutdown(code, text, handled: 0);

    /// <summary>As <see cref="Shutdown(CloseCode, string)"/>, and says how far a server has come, which the client gets
    /// as <see cref="PeerHandledTo"/>: of the records that begin at or behind <paramref name="handledTo"/> it has
    /// handled none, and will handle none. Others it may have handled. A client's is ignored.</summary>
    /// <param name="code">Any code but None.</param>
    /// <param name="text">Cut to 240 bytes of UTF-8. A client's text is ignored.</param>
    /// <param name="handledTo">A position in the ring that this side reads, such as
    /// <see cref="RingReader.ReleasedTo"/>.</param>
    public void Shutdown(CloseCode code, string? text, long handledTo)
    {
        if (handledTo < 0)
            Throw.Status(IpcStatus.InvalidArgument, $"A position of a ring is not negative: {handledTo}.");
        Shutdown(code, text, handled: (ulong)handledTo + 1);
    }

    private void Shutdown(CloseCode code, string? text, ulong handled)
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
                    Atomic.StoreRelease(ref _header->ServerHandled, handled); // before the word that says so [close]
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

    /// <summary>Closes this side, with the code Normal unless it is closed already, and frees it. The peer can read
    /// what was published, then gets PeerClosed. Waits of other threads return Closed before memory is freed. A request
    /// that was not answered is refused. It may be called on any thread, and more than once.</summary>
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
        bool quiet = Reader.Close() && writerQuiet;
        _region.CloseFile();
        return quiet;
    }

    private static void Free(MappedView view, bool quiet)
    {
        if (quiet)
            view.Dispose();
        else
            view.LeaveToCollector();
    }

    /// <summary>On a client: makes the server look at this connection, whatever it watches.</summary>
    internal void Notify()
    {
        if (!_listenerRegion.View.TryUse())
            return;
        try
        {
            RingDoorbell();
        }
        finally
        {
            _listenerRegion.View.Unuse();
        }
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

    /// <summary>On the watch thread, after a recovery of the listener's region: is it our peer that died? It may have
    /// been killed when it had said that it closes, and had not woken anybody.</summary>
    internal void PeersRecovered()
    {
        if (!_view.TryUse())
            return;
        PeerState peer;
        try
        {
            peer = PeerNow;
            if (peer == PeerState.Live)
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

        if (peer == PeerState.Died)
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

    // Stored before the close word [close]: without that it means nothing.
    private ulong HandledByPeer => PeerCloseWord == 0 ? 0 : Atomic.LoadAcquire(ref _header->ServerHandled);

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
            bool live = Atomic.LoadAcquire(ref _peerGone) == 0 &&
                Atomic.LoadAcquire(ref entry->State) == ParticipantEntry.Live &&
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
