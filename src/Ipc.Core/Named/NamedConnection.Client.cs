using System;
using System.Threading;

namespace Ipc;

/// <content>The client's side: opening, and what it does when it has to wait.</content>
public sealed partial class NamedConnection
{
    private readonly string _address; // the server's name, or what leads to it

    private NamedConnection(
        NamedEnds ends, string address, string server, string client, NamedConnectionOptions options)
    {
        _address = address;
        _ends = _sending = _receiving = ends;
        ends.IsFollowed = options.Reconnect;
        ServerName = server;
        ClientName = client;
        _options = options;
    }

    /// <summary>Raised when a session begins or ends, and when the server is another one. On a thread that is logging
    /// in, sending or receiving, one at a time and in order, without a lock of the library's: that call waits. A
    /// handler may call anything of this connection but to send or receive within a call that sends or receives. What
    /// it throws is traced. A server's connections do not raise it: <c>NamedListener.Next</c> tells.</summary>
    public event EventHandler<NamedConnectionChangedEventArgs>? Changed;

    /// <summary>Opens the conversation of <paramref name="client"/> with <paramref name="server"/>, or begins it. No
    /// server is needed: see <see cref="Connect"/>.</summary>
    /// <param name="server">The name of a <see cref="NamedListener"/>: 1 to 120 of the characters A-Z a-z 0-9 . _
    /// -; or an address of a registered <see cref="AddressScheme"/>.</param>
    /// <param name="client">This client's name, likewise. One live process has it at a time.</param>
    /// <param name="options">Null: all defaults.</param>
    /// <param name="cancellationToken">Ends the wait for the region's lock.</param>
    /// <exception cref="IpcException">InUse: a live client has that name; the message has its process. InvalidName;
    /// InvalidArgument: a name of the machine, or a login that is too long; or any status of opening a
    /// region.</exception>
    public static NamedConnection Open(
        string server,
        string client,
        NamedConnectionOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        string address = server;
        CheckName(client); // first: what leads to the address opens a way for that client
        server = AddressScheme.NameOf(address, client);
        CheckName(server);
        options = (options ?? new NamedConnectionOptions()).Copy();
        if (options.Login.Length > NamedHeader.DataCapacity)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"The login has {options.Login.Length} bytes, at most {NamedHeader.DataCapacity} are possible.");
        NamedEnds ends = OpenEnds(server, client, options, cancellationToken);
        return new NamedConnection(ends, address, server, client, options);
    }

    /// <summary>Removes the conversation of two names, with what was not acknowledged.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">InUse: a live process is attached; the message has it.</exception>
    public static bool Remove(string server, string client)
    {
        CheckName(server);
        CheckName(client);
        return Region.Clear(
            NamedEntrance.NameOf(server, client),
            kind => kind == KindNumber.OfNamedConnection
                ? new NamedEntrance(server, client, isClient: true, new NamedConnectionOptions())
                : new StorageEntrance(kind));
    }

    /// <summary>Logs in, waiting for the server if there is none. It has no effect when there is a session with a
    /// server that lives: whether it does is asked of the system.</summary>
    /// <param name="timeout">How long to wait; null: 5 seconds. A server that turns clients away because it is ending
    /// is waited out.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TimeoutException">There was no server, or it did not answer.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ConnectionRefusedException">The server refuses this client; its text is the
    /// message.</exception>
    /// <exception cref="IpcException">WrongKind, WrongVersion: that listener is none of named connections; or any
    /// status of opening a region.</exception>
    public void Connect(TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        ThrowIfServer();
        Deadline deadline = Deadline.Within(timeout ?? TimeSpan.FromSeconds(5), nameof(timeout));
        AskForServer();
        ThrowUnlessConnected(
            Attend(deadline, always: true, untilRecord: false, cancellationToken), nameof(Connect), cancellationToken);
    }

    private void ThrowUnlessConnected(IpcStatus status, string call, CancellationToken cancellationToken)
    {
        if (status == IpcStatus.Timeout)
            throw new TimeoutException(
                $"The server \"{ServerName}\" did not accept \"{ClientName}\" in time: it does not run, or is busy.");
        if (status != IpcStatus.Ok)
            Throw.Ended(status, this, call, cancellationToken);
    }

    /// <summary>Looks for the server once, and logs in if it is there. It has no effect when there is a session with a
    /// server that lives: whether it does is asked of the system.</summary>
    /// <param name="deadline">For the server's answer; <see cref="Deadline.Now"/> gives it 5 seconds.</param>
    /// <param name="cancellationToken">Ends the wait for the answer.</param>
    /// <returns>Ok: there is a session. NotFound: there is no server. Timeout: it did not answer; PeerClosed, PeerDied:
    /// it is ending; TableFull: it has no room; Cancelled; Closed.</returns>
    /// <exception cref="ConnectionRefusedException">The server refuses this client; its text is the
    /// message.</exception>
    /// <exception cref="IpcException">As <see cref="Connect"/>.</exception>
    public IpcStatus TryConnect(Deadline deadline, CancellationToken cancellationToken = default)
    {
        ThrowIfServer();
        AskForServer();
        if (IsConnected)
            return IpcStatus.Ok;
        return LogInIfNobodyDoes(deadline, cancellationToken) ?? Attend(
            deadline == Deadline.Now ? Deadline.After(TimeSpan.FromSeconds(5)) : deadline,
            always: true, untilRecord: false, cancellationToken);
    }

    /// <summary>Whoever asks for a session wants none whose server has died unnoticed.</summary>
    private void AskForServer() => Ends.Session?.AskForPeer();

    /// <summary>Null: another thread is at it.</summary>
    private IpcStatus? LogInIfNobodyDoes(Deadline deadline, CancellationToken cancellationToken)
    {
        if (!Monitor.TryEnter(_login))
            return null;
        try
        {
            return IsConnected ? IpcStatus.Ok : LogIn(deadline, cancellationToken);
        }
        finally
        {
            Monitor.Exit(_login);
            EndNaps();
            TellChanges();
        }
    }

    private static void CheckName(string name)
    {
        RegionName.Check(name);
        if (RegionName.IsOfMachine(name))
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A named connection is between programs of one user: \"{name}\" cannot be a name of the machine.");
    }

    private static NamedEnds OpenEnds(
        string server, string client, NamedConnectionOptions options, CancellationToken cancellationToken) =>
        NamedEnds.Open(
            new NamedEntrance(server, client, isClient: true, options), OpenMode.OpenOrCreate, options.Style,
            cancellationToken);

    private void ThrowIfServer()
    {
        if (!IsClient)
            throw new InvalidOperationException("Only a client logs in.");
    }

    private IpcStatus ReceiveWaiting(out NamedMessage message, Deadline deadline, CancellationToken cancellationToken)
    {
        for (; ; )
        {
            message = default;
            Ends.NoteLook(isWriter: false);
            IpcStatus status = deadline == Deadline.Now
                ? IpcStatus.Ok
                : Attend(deadline, always: false, untilRecord: true, cancellationToken);
            NamedEnds ends = Ends;
            if (status == IpcStatus.Ok)
                status = ends.Reader.Wait(deadline, cancellationToken);
            if (status is IpcStatus.PeerClosed or IpcStatus.PeerDied && deadline != Deadline.Now)
            {
                if (LosesPeer(ends, status))
                    status = LookForAnEnd(deadline, cancellationToken);
                else if (!IsClient)
                    status = ends.Reader.WaitForPeer(deadline, cancellationToken);
            }

            if (status == IpcStatus.Closed)
                status = WaitForOthers(ends, deadline, cancellationToken);
            if (status != IpcStatus.Ok)
                return status;
            if (TryReceive(out message))
                return IpcStatus.Ok;
        }
    }

    /// <summary>A sender may look for the server before it sends.</summary>
    private bool MayLogIn => IsClient && _options.Reconnect && !IsConnected && IsDue();

    /// <summary>By a sender: for a moment, unless another thread is at it.</summary>
    private void LogInOnTheWay(Deadline deadline, CancellationToken cancellationToken)
    {
        if (!Monitor.TryEnter(_login))
            return;
        try
        {
            if (!IsConnected)
                _ = LogIn(Deadline.Earlier(deadline, Patience()), cancellationToken);
        }
        catch (IpcException)
        {
            // Not this message's affair while there is room for it. Without room the next attempt says so.
        }
        finally
        {
            Monitor.Exit(_login);
            TellChanges();
        }
    }

    private IpcStatus ClaimWaiting(
        int length, out Span<byte> payload, Deadline deadline, CancellationToken cancellationToken)
    {
        if (MayLogIn && deadline != Deadline.Now)
            LogInOnTheWay(deadline, cancellationToken);
        for (; ; )
        {
            if (TryClaim(length, out payload))
                return IpcStatus.Ok;
            Ends.NoteLook(isWriter: true);
            IpcStatus status = deadline == Deadline.Now
                ? IpcStatus.Ok
                : Attend(deadline, always: false, untilRecord: false, cancellationToken);
            NamedEnds ends = Ends;
            if (status == IpcStatus.Ok)
            {
                status = ends.Writer.Claim(
                    length + NamedEnds.SequenceSize, out Span<byte> claimed, deadline, cancellationToken);
                if (status == IpcStatus.Ok)
                {
                    _sending = ends;
                    payload = ends.Begin(claimed);
                    return status;
                }
            }

            if (status is IpcStatus.PeerClosed or IpcStatus.PeerDied && deadline != Deadline.Now)
            {
                if (LosesPeer(ends, status))
                    status = LookForAnEnd(deadline, cancellationToken);
                else if (!IsClient)
                    status = ends.Writer.WaitForPeer(deadline, cancellationToken);
            }

            if (status == IpcStatus.Closed)
                status = WaitForOthers(ends, deadline, cancellationToken);
            if (status != IpcStatus.Ok)
                return status;
        }
    }

    /// <summary>These ends are closed: the connection is, or the conversation is being begun anew. Ok: look
    /// again.</summary>
    private IpcStatus WaitForOthers(NamedEnds ends, Deadline deadline, CancellationToken cancellationToken)
    {
        if (Atomic.LoadAcquire(ref _disposed) == 0 && !ReferenceEquals(ends, Ends))
            return IpcStatus.Ok;
        using (cancellationToken.Register(static self => ((NamedConnection)self!).EndNaps(), this))
        {
            lock (_naps)
            {
                IpcStatus status = LookForAnEnd(deadline, cancellationToken);
                if (status == IpcStatus.Ok)
                    Monitor.Wait(_naps, NapBesideLogin);
                return status;
            }
        }
    }

    /// <summary>What ends any wait; Ok: nothing yet. A server may say all the time that it has gone, and
    /// answer.</summary>
    private IpcStatus LookForAnEnd(Deadline deadline, CancellationToken cancellationToken) =>
        Atomic.LoadAcquire(ref _disposed) != 0 ? IpcStatus.Closed
        : Atomic.LoadAcquire(ref _stopped) != 0 ? IpcStatus.Stopped
        : cancellationToken.IsCancellationRequested ? IpcStatus.Cancelled
        : deadline.HasPassed ? IpcStatus.Timeout : IpcStatus.Ok;

    /// <summary>The rings say that the server has gone, whatever the session says. False: this side does not look for
    /// another one.</summary>
    internal bool LosesPeer(NamedEnds ends, IpcStatus status)
    {
        if (!IsClient)
            return false;
        if (Monitor.TryEnter(_login)) // else another thread has seen it already, and is asking for the next session
        {
            try
            {
                // the other thread may have got the next one meanwhile
                if (ends.Session is { } session && ReferenceEquals(ends, Ends) &&
                    (!session.IsOpen || ends.Reader.Peer != PeerState.Live ||
                        ends.Writer.Peer != PeerState.Live))
                    Lose(ends, session, status);
            }
            finally
            {
                Monitor.Exit(_login);
            }

            TellChanges();
        }

        return _options.Reconnect;
    }
}
