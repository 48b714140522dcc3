using System;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>The client's side: connecting and leaving.</summary>
/// <remarks>
/// Each step is visible in the slot, so that whoever finds the client dead can undo it: <i>opening</i> with the id says
/// that a file of that name may exist, <i>requested</i> that it is complete and the server may open it. The server
/// makes it <i>attached</i>; from then on it is the server that makes the slot idle, as the last thing it does. The
/// file gets its name under the listener's region lock, where a server that leaves withdraws all who ask: either it
/// finds the slot, or the client finds it gone.
/// </remarks>
public sealed unsafe partial class Connection
{
    private static readonly TimeSpan s_answerTimeout = TimeSpan.FromSeconds(5);

    /// <summary>Connects to the listener <paramref name="name"/> and waits until the server accepts or
    /// refuses.</summary>
    /// <param name="name">The listener's name, or an address of a registered <see cref="AddressScheme"/>.</param>
    /// <param name="options">Null: all defaults.</param>
    /// <param name="cancellationToken">Withdraws the request.</param>
    /// <exception cref="IpcException">NotFound: there is no server; Timeout: it did not answer; Cancelled; TableFull;
    /// WrongKind, WrongVersion: it speaks another protocol than <see cref="ConnectOptions.Protocol"/>, or no version in
    /// common; or any status of opening a region.</exception>
    /// <exception cref="ConnectionRefusedException">The server refused; its text is the message.</exception>
    public static Connection Connect(
        string name, ConnectOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new ConnectOptions();
        name = AddressScheme.NameOf(name);
        RegionName.Check(name);
        _ = options.Style;
        return From(
            name,
            options,
            entrance => Region.Open(name, entrance, OpenMode.OpenExisting, options.Deadline, cancellationToken),
            cancellationToken)!;
    }

    /// <summary>Connects to the listener <paramref name="name"/> if it exists by the deadline of the options.</summary>
    /// <returns>False if there is no server.</returns>
    /// <exception cref="IpcException">There is a server, but connecting failed; as from
    /// <see cref="Connect"/>.</exception>
    /// <exception cref="ConnectionRefusedException">The server refused; its text is the message.</exception>
    public static bool TryConnect(
        string name,
        [NotNullWhen(true)] out Connection? connection,
        ConnectOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new ConnectOptions();
        name = AddressScheme.NameOf(name);
        RegionName.Check(name);
        _ = options.Style;
        connection = From(
            name,
            options,
            entrance => Region.TryOpen(name, entrance, options.Deadline, cancellationToken),
            cancellationToken);
        return connection is not null;
    }

    /// <summary>As <see cref="Connect"/>, but a server that is not there now is not waited for: null. The deadline of
    /// the options is for its answer.</summary>
    internal static Connection? ConnectIfThere(
        string name, ConnectOptions options, CancellationToken cancellationToken) => From(
        name,
        options,
        entrance => Region.TryOpen(name, entrance, Deadline.Now, cancellationToken),
        cancellationToken);

    /// <summary>Asks the server that has the name, and the one that has taken it meanwhile.</summary>
    private static Connection? From(
        string name,
        ConnectOptions options,
        Func<ListenerEntrance, Region?> open,
        CancellationToken cancellationToken)
    {
        Deadline answer = OrFiveSeconds(options.Deadline);
        for (; ; )
        {
            ListenerEntrance entrance = ListenerEntrance.ForClient(options.Access);
            Region? listener = open(entrance);
            if (listener is null)
                return null;
            try
            {
                return From(listener, name, entrance, options, answer, cancellationToken);
            }
            catch (IpcException error) when (HasSuccessor(listener, error) && !answer.HasPassed)
            {
            }
        }
    }

    /// <summary>A server that was asked has ended, or takes nobody any more, and another one has the name by
    /// now.</summary>
    private static bool HasSuccessor(Region listener, IpcException error) =>
        error.Status is IpcStatus.PeerClosed or IpcStatus.PeerDied &&
        !Os.Current.LeadsTo(listener.Path, listener.File!) && System.IO.File.Exists(listener.Path);

    private static Connection From(
        Region listener,
        string name,
        ListenerEntrance entrance,
        ConnectOptions options,
        Deadline answer,
        CancellationToken cancellationToken)
    {
        Connection? connection = null;
        try
        {
            connection = Request(name, listener, entrance, options, cancellationToken);
            entrance.PeersWereRecovered = connection.PeersRecovered;
            listener.WatchParticipant(0);
            connection.AwaitReply(name, options.Style, answer, cancellationToken);
            return connection;
        }
        catch
        {
            if (connection is not null)
            {
                connection.Dispose();
            }
            else
            {
                listener.Leave();
                listener.View.Dispose();
            }

            throw;
        }
    }

    /// <summary>idle -> opening -> requested</summary>
    private static Connection Request(
        string name,
        Region listener,
        ListenerEntrance entrance,
        ConnectOptions options,
        CancellationToken cancellationToken)
    {
        Connection connection = Prepare(name, listener, entrance, options, out Region region);
        try
        {
            listener.Lock(options.Deadline, cancellationToken);
            connection.AskAndUnlock(name, region);
            // the mapping is enough: what dies with this process is the entry in the listener's region
            region.CloseFileUnlessNeeded();
        }
        catch
        {
            region.CloseFile();
            connection.Dispose();
            throw;
        }

        connection.RingForAnswer();
        return connection;
    }

    /// <summary>idle -> opening: a connection whose region is complete and has no name yet. Its file is still
    /// open.</summary>
    private static Connection Prepare(
        string name, Region listener, ListenerEntrance entrance, ConnectOptions options, out Region region)
    {
        int index = listener.Index;
        ListenerSlot* slot = entrance.Slot(listener, index);
        ulong id = NewId();
        int version = Agree(name, listener, options.Protocol);
        ConnectionEntrance layout = new(index, id, options, version);
        // [slot]
        if (!Atomic.TryExchange(&slot->Word, ListenerSlot.Idle, ListenerSlot.WordOf(id, ListenerSlot.Opening)))
            Throw.Corrupt($"slot {index} of {listener.Path} is somebody else's.");
        FaultPoints.Pass(FaultPoints.ConnectSlotOpening);

        // Whoever the listener admits: this is between two users.
        region = Region.BuildPlain(
            ListenerEntrance.ConnectionPath(listener, id), listener.Share.With(listener.User), layout);
        return new Connection(region, layout, listener, entrance, listener: null, index, options.Style)
        {
            ProtocolVersion = version,
        };
    }

    /// <summary>The newest version that both speak.</summary>
    private static int Agree(string name, Region listener, ConnectionProtocol ours)
    {
        ConnectionProtocol theirs = ListenerEntrance.ProtocolOf(listener);
        IpcStatus status = ours.Agree(theirs, out int version);
        if (status != IpcStatus.Ok)
            Throw.Status(
                status,
                $"The server \"{name}\" (process {listener.ProcessOf(0).Pid}) speaks {theirs}, and this program " +
                $"{ours}: one of them has to be another.");
        return version;
    }

    /// <summary>opening -> requested, with a name. The listener's region lock is this thread's, and is given
    /// back.</summary>
    private void AskAndUnlock(string name, Region region)
    {
        ListenerSlot* slot = _entrance.Slot(_listenerRegion, Slot);
        try
        {
            bool open = Atomic.LoadAcquire(ref _listenerRegion.Header->State) == RegionHeader.Live &&
                ListenerEntrance.TakesRequests(_listenerRegion);
            if (open)
            {
                Sweep();
                region.LinkPlain();
                FaultPoints.Pass(FaultPoints.ConnectRegionLinked);
                // [slot]
                open = Atomic.TryExchange(
                    &slot->Word,
                    ListenerSlot.WordOf(Id, ListenerSlot.Opening),
                    ListenerSlot.WordOf(Id, ListenerSlot.Requested));
                if (!open)
                    region.Unlink();
            }

            if (!open)
                ThrowServerEnded(name);
        }
        finally
        {
            _listenerRegion.Unlock();
        }
    }

    private void RingForAnswer()
    {
        RingDoorbell();
        FaultPoints.Pass(FaultPoints.ConnectRequested);
    }

    /// <summary>For what a server that is there may take.</summary>
    private static Deadline OrFiveSeconds(Deadline deadline) =>
        deadline == Deadline.Now ? Deadline.After(s_answerTimeout) : deadline;

    /// <summary>Who cleans up after a dead one withdraws what it had not answered first, and says that it is dead last;
    /// but the dead one has no lock any more.</summary>
    private IpcStatus HowServerEnded()
    {
        bool hasNoLock = _listenerRegion.HasNoLock(0); // first: what it ended as stands before its entry is free
        uint ended = Atomic.LoadAcquire(ref _listenerRegion.Entry(0)->Ended);
        return ended == ParticipantEntry.EndedByDeath || (hasNoLock && ended != ParticipantEntry.EndedByLeaving)
            ? IpcStatus.PeerDied
            : IpcStatus.PeerClosed;
    }

    private void ThrowServerEnded(string name) => Throw.Status(
        HowServerEnded(),
        $"The server \"{name}\" (process {PeerProcessId}) ended while it was being connected to.");

    private void AwaitReply(string name, WaitStyle style, Deadline deadline, CancellationToken cancellationToken)
    {
        WaitControl control = new(style, &_header->Session, null);
        ReplyCondition condition = new(this);
        CheckReply(name, control.Wait(ref condition, &_header->Session, deadline, cancellationToken));
    }

    /// <summary>Returns if the server has accepted; else throws what became of the request, when the wait for the reply
    /// ended with <paramref name="status"/>.</summary>
    private void CheckReply(string name, IpcStatus status)
    {
        RemoveName();
        uint reply = Atomic.LoadAcquire(ref _header->Reply); // [reply]
        if (status == IpcStatus.Ok && reply == ConnectionHeader.Accepted)
            return;
        // [close] before the reply, which may not be there yet: it says all
        if (status is IpcStatus.Ok or IpcStatus.PeerClosed &&
            Atomic.LoadAcquire(ref _header->ServerClose) == (uint)CloseCode.Identity)
        {
            throw new ConnectionRefusedException(ReadServerText() ?? "", CloseCode.Identity);
        }

        // [close]
        if ((status == IpcStatus.PeerClosed || (status == IpcStatus.Ok && reply == ConnectionHeader.Refused)) &&
            Atomic.LoadAcquire(ref _header->ServerClose) == (uint)CloseCode.Shutdown)
        {
            // it has nothing against this client
            Throw.Status(
                IpcStatus.PeerClosed,
                $"The server \"{name}\" (process {PeerProcessId}) takes no further clients: " +
                (ReadServerText() ?? "it is ending."));
        }

        if (status == IpcStatus.Ok && reply == ConnectionHeader.Refused)
            throw new ConnectionRefusedException(
                ReadServerText() ??
                $"The server \"{name}\" (process {PeerProcessId}) refused the connection and gave no reason.");

        switch (status)
        {
            case IpcStatus.Ok:
                Throw.Corrupt(
                    $"The server \"{name}\" (process {PeerProcessId}) replied {reply}, neither accepted (1) nor " +
                    "refused (2).");
                break;
            case IpcStatus.Timeout:
                Throw.Status(
                    status,
                    $"The server \"{name}\" (process {PeerProcessId}) did not answer the request to connect in time: " +
                    "it is busy or stopped.");
                break;
            case IpcStatus.Cancelled:
                Throw.Status(status, $"Connecting to \"{name}\" was cancelled.");
                break;
            case IpcStatus.Refused:
                throw new ConnectionRefusedException(
                    $"The server \"{name}\" (process {PeerProcessId}) could not use the connection's region and " +
                    "dropped the request; if it is a process of 32 bits, connect with a smaller loan budget.");
            default:
                Throw.Status(
                    status == IpcStatus.PeerClosed ? status : IpcStatus.PeerDied,
                    $"The server \"{name}\" (process {PeerProcessId}) ended while it was being connected to.");
                break;
        }
    }

    private void DisposeClientSide()
    {
        Shutdown(CloseCode.Normal);
        bool quiet = CloseEnds();
        _listenerRegion.Leave();
        Free(_listenerRegion.View, quiet);
        Free(_view, quiet);
    }

    private static ulong NewId()
    {
        byte[] bytes = new byte[8];
        using (RandomNumberGenerator random = RandomNumberGenerator.Create())
            random.GetBytes(bytes);
        return BitConverter.ToUInt64(bytes, 0) % ListenerSlot.MaxId + 1;
    }

    /// <summary>How the wait for the reply ends. Nobody disposes the connection before: it is nobody's yet.</summary>
    private ValueTask<IpcStatus> ReplyAsync(WaitStyle style, Deadline deadline, CancellationToken cancellationToken)
    {
        ReplyWait wait = ReplyWait.Rent(this);
        return new ValueTask<IpcStatus>(wait, wait.Begin(style, deadline, cancellationToken));
    }

    private sealed class ReplyWait : OwnedWait<ReplyWait, Connection, ReplyCondition, IpcStatus>
    {
        public short Begin(WaitStyle style, Deadline deadline, CancellationToken cancellationToken)
        {
            WaiterWords* session = &Owner._header->Session;
            Condition = new ReplyCondition(Owner);
            return Begin(new WaitControl(style, session, null), session, Owner._view, deadline, cancellationToken);
        }

        private protected override IpcStatus Finish(IpcStatus status) => status;
    }

    /// <summary>The server's reply.</summary>
    private readonly struct ReplyCondition : IWaitCondition
    {
        private readonly Connection _connection;

        public ReplyCondition(Connection connection) => _connection = connection;

        /// <summary>A server that ends in good order has no way to reach those it has not taken yet.</summary>
        public ulong LongestSleep => 50_000_000;

        // [reply]
        public bool IsTrue() => Atomic.LoadAcquire(ref _connection._header->Reply) != ConnectionHeader.NoReply;

        public IpcStatus PeerStatus()
        {
            // [slot]
            ulong word = Atomic.LoadAcquire(
                ref _connection._entrance.Slot(_connection._listenerRegion, _connection.Slot)->Word);
            IpcStatus peer = RingEnd.StatusOf(_connection.PeerNow);
            if (peer == IpcStatus.PeerDied)
                return _connection.HowServerEnded(); // or it has left in order, and never seen this region
            if (peer != IpcStatus.Ok || ListenerSlot.IdOf(word) == _connection.Id)
                return peer;
            // Dropped; or withdrawn by a server on its way out.
            return ListenerEntrance.TakesRequests(_connection._listenerRegion)
                ? IpcStatus.Refused
                : _connection.HowServerEnded();
        }

        public bool BeforeSleep() => true;
    }
}
