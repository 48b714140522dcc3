using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;

namespace Ipc;

/// <summary>A server's side of named connections: clients log in, and come back. Twin of
/// <c>ipc_named_listener</c>.</summary>
/// <remarks>
/// <para>One thread at a time is in <c>Next</c>; connections that it has handed out may be used on any thread,
/// and are given back with <see cref="Return"/>. A connection stays with its listener until it is disposed, whether or
/// not its client is there: what is sent meanwhile waits for it.</para>
/// <para>It sleeps for all its clients at once, on the doorbell of an ordinary <see cref="Listener"/>.</para>
/// </remarks>
public sealed partial class NamedListener : IDisposable
{
    private readonly Listener _listener;
    private readonly NamedListenerOptions _options;
    private readonly NamedConnectionOptions _connectionOptions;
    private readonly byte[] _identity;
    private readonly Dictionary<string, NamedConnection> _connections = new(StringComparer.Ordinal); // its own lock
    private readonly Queue<NamedEvent> _events = new(); // of the thread in Next
    private int _inside; // Next or NextAsync: 1
    private int _disposed;

    private NamedListener(Listener listener, NamedListenerOptions options, byte[] identity)
    {
        _listener = listener;
        _options = options;
        _identity = identity;
        _connectionOptions = new NamedConnectionOptions { WaitMode = options.WaitMode, SpinLimit = options.SpinLimit };
    }

    /// <summary>The name with which it was opened.</summary>
    public string Name => _listener.Name;

    /// <summary>Who this server is: <see cref="NamedListenerOptions.Identity"/>.</summary>
    public string Identity => Encoding.UTF8.GetString(_identity);

    /// <summary>Whether the name still leads to this listener. It checks the directory once.</summary>
    public bool IsFindable => _listener.IsFindable;

    /// <summary>Opens a listener for named connections. It replaces what a dead server has left behind;
    /// the conversations of its clients go on.</summary>
    /// <param name="name">1 to 120 of the characters A-Z a-z 0-9 . _ -.</param>
    /// <param name="options">Null: all defaults.</param>
    /// <exception cref="IpcException">InUse: a live server has the name; the message has its process. InvalidArgument:
    /// a name of the machine, or an identity that is empty or too long. Or any status of opening a region.</exception>
    public static NamedListener Open(string name, NamedListenerOptions? options = null)
    {
        options ??= new NamedListenerOptions();
        RegionName.Check(name);
        if (RegionName.IsOfMachine(name))
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"Named connections are between programs of one user: \"{name}\" is a name of the machine.");
        byte[] identity = Encoding.UTF8.GetBytes(options.Identity ?? name);
        if (identity.Length is 0 or > NamedHeader.NameCapacity)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"The identity has {identity.Length} bytes, 1 to {NamedHeader.NameCapacity} are possible.");
        Listener listener = Listener.Open(
            name,
            new ListenerOptions
            {
                MaxConnections = options.MaxConnections,
                MaxRingCapacity = NamedConnection.SessionRing,
                MaxLoanBudget = 0,
                WaitMode = options.WaitMode,
                SpinLimit = options.SpinLimit,
                Protocol = NamedConnection.Protocol,
            });
        return new NamedListener(listener, options, identity);
    }

    /// <summary>Waits for the next event of any connection. One thread at a time may call it.</summary>
    /// <returns>Ok and an event; or Timeout, Stopped, Cancelled or Closed.</returns>
    /// <exception cref="InvalidOperationException">Another thread is in this method.</exception>
    public IpcStatus Next(out NamedEvent e, Deadline deadline, CancellationToken cancellationToken = default)
    {
        EnterNext();
        try
        {
            for (; ; )
            {
                if (TryTake(out e))
                    return IpcStatus.Ok;
                IpcStatus status = _listener.Next(out ListenerEvent found, deadline, cancellationToken);
                if (status == IpcStatus.Stopped && IsDisposed)
                    return IpcStatus.Closed; // Close stops it first
                if (status != IpcStatus.Ok)
                    return status;
                Take(found);
            }
        }
        finally
        {
            LeaveNext();
        }
    }

    /// <summary>Waits for the next event no longer than <paramref name="timeout"/>; only a wait makes a deadline of it.
    /// See <see cref="Next(out NamedEvent, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public IpcStatus Next(out NamedEvent e, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = Next(out e, Deadline.Now, cancellationToken);
        return status == IpcStatus.Timeout ? Next(out e, Deadline.After(timeout), cancellationToken) : status;
    }

    /// <summary>Gets the next event if there is one now. See <c>Next</c>. Never blocks.</summary>
    public bool TryNext(out NamedEvent e) => Next(out e, Deadline.Now) == IpcStatus.Ok;

    /// <summary>Gives a connection back that was <see cref="NamedEventKind.Readable"/>. It may be called on any
    /// thread.</summary>
    /// <exception cref="InvalidOperationException">It is one that logs in, and was not answered.</exception>
    public void Return(NamedConnection connection)
    {
        Throw.IfNull(connection, nameof(connection));
        if (!connection.IsLent && connection.IsAsked) // else its client would wait for ever
            throw new InvalidOperationException(
                $"\"{connection.ClientName}\" logs in and was not answered: call Accept, Refuse or TurnAway.");
        Connection? lent = connection.EndsNow.Session; // before a login can be let in, which brings another one
        connection.TakeBack();
        if (lent is { } session)
            _listener.Return(session);
    }

    /// <summary>Attaches to the conversation with a client that is not here: to read what it has left, or to send it
    /// something for when it comes.</summary>
    /// <param name="client">The client's name.</param>
    /// <param name="connection">It stays with this listener, as one that has logged in does.</param>
    /// <returns>False if there is none: only clients begin conversations.</returns>
    /// <exception cref="IpcException">InUse: another live process is attached as the server. WrongVersion: the
    /// conversation is with a server of another identity. Or any status of opening a region.</exception>
    public bool TryOpen(string client, out NamedConnection? connection)
    {
        RegionName.Check(client);
        lock (_connections)
        {
            if (IsDisposed)
                Throw.Disposed(this);
            if (_connections.TryGetValue(client, out connection))
                return true;
            NamedEnds? ends = Attach(client);
            if (ends is null)
                return false;
            if (WhyNot(ends) is { } reason)
            {
                ends.Dispose();
                Throw.Status(IpcStatus.TooLarge, reason);
            }

            if (!IsOurs(ends, out string theirs))
            {
                ends.Dispose();
                Throw.Status(
                    IpcStatus.WrongVersion,
                    $"The conversation of \"{client}\" is with \"{theirs}\", this server is \"{Identity}\".");
            }

            connection = new NamedConnection(this, ends, client);
            _connections.Add(client, connection);
            return true;
        }
    }

    /// <summary>Makes <c>Next</c> return Stopped, now and until <see cref="Resume"/>.</summary>
    public void Stop() => _listener.Stop();

    /// <summary>Lets <c>Next</c> work again after <see cref="Stop"/>.</summary>
    public void Resume() => _listener.Resume();

    /// <summary>Ends all sessions with the code Shutdown, leaves all conversations and removes the name. Messages stay
    /// for the next server.</summary>
    public void Dispose() => Close("The server has ended.");

    /// <summary>As <see cref="Dispose"/>, with words for the clients.</summary>
    public void Close(string text)
    {
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;
        _listener.Stop();
        NamedConnection[] all;
        lock (_connections)
        {
            all = new NamedConnection[_connections.Count];
            _connections.Values.CopyTo(all, 0);
        }

        foreach (NamedConnection connection in all)
            connection.Close(CloseCode.Shutdown, text);
        _listener.Dispose();
    }

    private bool IsDisposed => Atomic.LoadAcquire(ref _disposed) != 0;

    internal void Forget(NamedConnection connection)
    {
        lock (_connections)
        {
            if (_connections.TryGetValue(connection.ClientName, out NamedConnection? now) &&
                ReferenceEquals(now, connection))
            {
                _connections.Remove(connection.ClientName);
            }
        }
    }

    internal void Watch(Connection session) => _listener.Return(session);

    private void EnterNext()
    {
        if (Atomic.CompareExchange(ref _inside, 1, 0) != 0)
            throw new InvalidOperationException("Another thread waits for this listener's next event.");
    }

    private void LeaveNext() => Atomic.StoreRelease(ref _inside, 0);

    /// <summary>The first event that was found whose connection was not disposed meanwhile.</summary>
    private bool TryTake(out NamedEvent e)
    {
        while (_events.Count > 0)
        {
            e = _events.Dequeue();
            if (!e.Connection.IsDisposed)
                return true;
        }

        e = default;
        return false;
    }

    private void Take(in ListenerEvent found)
    {
        Connection session = found.Connection;
        if (found.Kind == ListenerEventKind.Connect)
        {
            Asked(session);
            return;
        }

        if (session.Owner is not NamedConnection connection)
        {
            session.Dispose(); // it was being answered, and has gone
            return;
        }

        if (found.Kind == ListenerEventKind.Readable)
        {
            connection.Lend();
            _events.Enqueue(new NamedEvent(NamedEventKind.Readable, connection, IpcStatus.Ok, CloseCode.None));
            return;
        }

        if (connection.Loses(session))
            Ended(connection, session);
        session.Dispose();
    }

    private void Ended(NamedConnection connection, Connection session)
    {
        CloseCode code = session.PeerCloseCode;
        _events.Enqueue(
            new NamedEvent(
                NamedEventKind.Logout,
                connection,
                code == CloseCode.None ? IpcStatus.PeerDied : IpcStatus.PeerClosed,
                code));
    }

    private void Asked(Connection session)
    {
        if (NamedHello.ClientOf(session.Hello.Span) is not { } client)
        {
            session.Refuse("The hello of a named connection is a region's id and a name; this one was something else.");
            return;
        }

        try
        {
            lock (_connections)
                Asked(session, client);
        }
        catch (IpcException error) when (error.Status is IpcStatus.InUse or IpcStatus.Timeout)
        {
            session.RefuseWith(CloseCode.Shutdown, error.Message); // the former server is just ending, perhaps
        }
        catch (IpcException error)
        {
            session.Refuse(error.Message); // it cannot be attached to: the client's affair
        }
    }

    private void Asked(Connection session, string client)
    {
        if (IsDisposed)
        {
            session.TurnAway(); // who ends all connections may have seen those before
            return;
        }

        _ = _connections.TryGetValue(client, out NamedConnection? connection);
        if (connection is { IsLent: true } or { IsAsked: true })
        {
            session.RefuseWith(
                CloseCode.Shutdown,
                $"The server is still busy with the former session of \"{client}\", or with a login of it: try again.");
            return;
        }

        if (connection is not null && !connection.IsOf(session.Hello.Span))
        {
            if (connection.EndsNow.Region.IsNamed)
            {
                session.Refuse($"This is not the conversation of \"{client}\" with \"{Name}\".");
                return;
            }

            connection.Close(CloseCode.Normal); // somebody has removed that conversation, and this is another one
            connection = null;
        }

        if (connection is null)
        {
            NamedEnds? ends = Attach(client);
            if (ends is null)
            {
                session.Refuse($"There is no conversation of \"{client}\" with \"{Name}\".");
                return;
            }

            if (!NamedHello.IsOf(session.Hello.Span, ends.Region) || WhyNot(ends) is not null ||
                !IsOurs(ends, out _))
            {
                Refuse(session, ends, client);
                return;
            }

            connection = new NamedConnection(this, ends, client);
            _connections.Add(client, connection);
        }
        else if (connection.EndsNow.Session is { } former && connection.Loses(former))
        {
            Ended(connection, former);
            former.Dispose();
        }

        FaultPoints.Pass(FaultPoints.NamedAcceptAttached);
        connection.Asks(session);
        _events.Enqueue(new NamedEvent(NamedEventKind.Login, connection, IpcStatus.Ok, CloseCode.None));
    }

    private void Refuse(Connection session, NamedEnds ends, string client)
    {
        string? why = NamedHello.IsOf(session.Hello.Span, ends.Region)
            ? WhyNot(ends)
            : $"The conversation of \"{client}\" with \"{Name}\" is another one by now.";
        ends.Dispose(); // first: the client may begin anew at once
        if (why is null)
            session.RefuseWith(CloseCode.Identity, Identity);
        else
            session.Refuse(why);
    }

    /// <summary>Null: there is no such conversation.</summary>
    private NamedEnds? Attach(string client) => NamedEnds.TryOpen(
        new NamedEntrance(Name, client, isClient: false, _connectionOptions), _connectionOptions.Style);

    private string? WhyNot(NamedEnds ends)
    {
        long ring = ends.LargestRing, budget = ends.LargestBudget;
        return ring > _options.MaxRingCapacity
            ? $"A ring has {ring} bytes, this server allows {_options.MaxRingCapacity}."
            : budget > _options.MaxLoanBudget
                ? $"A loan budget is {budget} bytes, this server allows {_options.MaxLoanBudget}."
                : null;
    }

    private bool IsOurs(NamedEnds ends, out string theirs)
    {
        byte[]? identity = ends.ReadIdentity();
        theirs = identity is null ? "" : Encoding.UTF8.GetString(identity);
        if (identity is null)
            ends.WriteIdentity(_identity);
        return identity is null || identity.AsSpan().SequenceEqual(_identity);
    }
}
