using System;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>A named connection at the entrance: the rest of the way of the exit's, as a client of a server
/// here.</summary>
internal sealed class EntranceOfNamed
{
    private const int LeavesWithin = 200; // ms
    private const int LooksAgainAfter = 5;
    private const int LooksForServerAfter = 1000;

    private readonly NamedConnection _connection;
    private readonly Wire _wire;
    private NamedConnectionChangedEventArgs? _ended;
    private NamedLeg? _leg;
    private bool _isOver;
    private volatile bool _isLoggedIn;

    private EntranceOfNamed(NamedConnection connection, Wire wire)
    {
        _connection = connection;
        _wire = wire;
        connection.Changed += (_, change) =>
        {
            if (change.Change == NamedChange.Disconnected)
                Volatile.Write(ref _ended, change);
        };
    }

    /// <exception cref="TcpRefusedException">What the exit is to be told.</exception>
    public static void Carry(
        EntranceLeg leg, TcpEntrance entrance, Wire wire, Hello hello, TcpEntranceOptions options)
    {
        NamedState state = hello.Named!;
        if (state.Conversation == Guid.Empty)
            throw EntranceLeg.No("A conversation has an id.");
        entrance.Take(leg, hello.Server, state);
        NamedConnectionOptions like = options.NamedConnections ?? new NamedConnectionOptions();
        try
        {
            NamedConnectionOptions own = new()
            {
                ToServerCapacity = like.ToServerCapacity,
                ToClientCapacity = like.ToClientCapacity,
                LoanBudget = like.LoanBudget,
                WaitMode = like.WaitMode,
                SpinLimit = like.SpinLimit,
                Login = state.Login,
                Reconnect = false,
                BeginsAnew = false, // that is the exit's client's affair
            };
            bool isEmpty = false;
            try
            {
                using NamedConnection connection = Open(hello.Server, state.Client, own, options.ConnectTimeout);
                Guid id = connection.Id;
                EntranceOfNamed way = new(connection, wire);
                try
                {
                    way.Carry(hello, state, options);
                }
                finally
                {
                    // The one that the exit's is bound to stays: without it the exit's messages would be given up. Its
                    // id is random: nobody else can name it.
                    isEmpty = state.Bound != id && !way._isLoggedIn && connection.LastSent == 0;
                }
            }
            finally
            {
                if (isEmpty) // whoever is refused leaves nothing behind
                    RemoveEmpty(hello.Server, state.Client, own);
            }
        }
        catch (IpcException e)
        {
            throw EntranceLeg.RefusalOf(e);
        }
    }

    private static void RemoveEmpty(string server, string client, NamedConnectionOptions own)
    {
        // Nothing tells when a server has let a conversation go: it is to notice that its client has left.
        for (long until = Clock.Now + LeavesWithin; ; Thread.Sleep(5))
        {
            try
            {
                // A server may send to who was never logged in, and it has had the time since this way last looked.
                using (NamedConnection now = NamedConnection.Open(server, client, own))
                {
                    if (now.LastArrived != 0 || now.LastSent != 0)
                        return;
                }

                NamedConnection.Remove(server, client);
                return;
            }
            catch (IpcException e) when (e.Status == IpcStatus.InUse && Clock.Now < until)
            {
                // not yet
            }
            catch (IpcException)
            {
                return; // somebody has it, who logs in here
            }
        }
    }

    /// <summary>Whoever has its place may be about to leave: an entrance that was before this one.</summary>
    private static NamedConnection Open(string server, string client, NamedConnectionOptions own, TimeSpan patience)
    {
        long until = Clock.Now + (long)patience.TotalMilliseconds / 2;
        for (; ; )
        {
            try
            {
                return NamedConnection.Open(server, client, own);
            }
            catch (IpcException e) when (e.Status == IpcStatus.InUse && Clock.Now < until)
            {
                Thread.Sleep(20); // nothing tells when it has left
            }
        }
    }

    private void Carry(Hello hello, NamedState state, TcpEntranceOptions options)
    {
        if (!IsBoundHere(state)) // before it is noted: the client begins anew, and asks for this one
        {
            Connect(hello, options);
            _isLoggedIn = true; // the server has it now
            throw new TcpRefusedException(CloseCode.Identity, _connection.Identity ?? hello.Server);
        }

        LetTheServerTake(hello, state, options);
        Bind(hello, state);
        Check(state);
        _leg = new NamedLeg(_connection, _wire, state.Received, WakeReader) { TakesMessages = false };
        new Welcome
        {
            Alive = (uint)options.AliveMilliseconds,
            Longest = (uint)Math.Min(options.MaxMessage, _connection.MaxPayload),
            IsNamed = true,
            Conversation = _connection.Id,
            Received = _connection.LastSent,
        }.Send(_wire);
        _wire.Begin(hello.Alive, hello.Longest);
        Thread forwards = new(() => Forward(hello, options)) { IsBackground = true, Name = "ipc-tcp-out" };
        EntranceLeg.Start(forwards, _wire);
        (CloseCode code, string text) = _leg.Receive();
        Volatile.Write(ref _isOver, true);
        _connection.Stop();
        forwards.Join();
        _connection.Close(code, text);
    }

    private void Connect(Hello hello, TcpEntranceOptions options)
    {
        IpcStatus status = _connection.TryConnect(Deadline.After(options.ConnectTimeout));
        if (status != IpcStatus.Ok)
            throw EntranceLeg.Later(
                $"There is no server \"{hello.Server}\" on the entrance's machine now, or it does not answer " +
                $"({status}).");
    }

    /// <summary>The exit's conversation is bound to this one, or to none yet.</summary>
    private bool IsBoundHere(NamedState state) => state.Bound == Guid.Empty || state.Bound == _connection.Id;

    /// <summary>The client's machine has lost its side: what had come from it before that, and was acknowledged there,
    /// the server gets first. What the server sends meanwhile is nobody's.</summary>
    private void LetTheServerTake(Hello hello, NamedState state, TcpEntranceOptions options)
    {
        if (_connection.Bound == Guid.Empty || _connection.Bound == state.Conversation ||
            _connection.Unacknowledged == 0)
        {
            return;
        }

        try
        {
            Connect(hello, options);
        }
        catch (ConnectionRefusedException e) when (e.Code == CloseCode.Identity)
        {
            return; // they were for another server, which is not there any more
        }

        Deadline end = Deadline.After(options.ConnectTimeout);
        while (_connection.Unacknowledged != 0)
        {
            if (_connection.Receive(out _, Deadline.FromMilliseconds(10)) == IpcStatus.Ok)
                _connection.Acknowledge();
            if (end.HasPassed)
                throw EntranceLeg.Later(
                    $"The server \"{hello.Server}\" has {_connection.Unacknowledged} messages to take of the " +
                    $"conversation that \"{state.Client}\" had before.");
        }
    }

    private void Bind(Hello hello, NamedState state)
    {
        Guid bound = _connection.Bound;
        if (bound == state.Conversation)
            return;
        if (bound != Guid.Empty)
            _connection.BeginAnew(); // the client's machine has lost its side of it
        else if (_connection.LastSent != 0 || _connection.LastAcknowledged != 0)
            throw EntranceLeg.No(
                $"On the entrance's machine \"{state.Client}\" is a program of that machine, which has a " +
                $"conversation with \"{hello.Server}\". Take another name, or remove that one there.");
        BindTo(_connection, state.Conversation);
    }

    /// <summary>What stands in the region may have changed since it was looked at: that is its owners' doing, and ends
    /// this way alone.</summary>
    /// <exception cref="TcpProtocolException">It is bound to another one by now.</exception>
    public static void BindTo(NamedConnection connection, Guid conversation)
    {
        try
        {
            connection.Bind(conversation);
        }
        catch (InvalidOperationException e)
        {
            throw new TcpProtocolException(e.Message);
        }
    }

    private void Check(NamedState state)
    {
        long sent = _connection.LastSent, acknowledged = _connection.LastAcknowledged;
        if (sent < state.Acknowledged || sent > state.Sent)
            throw EntranceLeg.No(
                $"The entrance has message {sent} as the client's last, the exit {state.Acknowledged} to " +
                $"{state.Sent}: one of them has lost its place. Remove the conversation on both machines.");
        long arrived = _connection.LastArrived;
        if (state.Received < acknowledged || state.Received > arrived)
            throw EntranceLeg.No(
                $"The exit has message {state.Received} as the server's last, the entrance {acknowledged} to " +
                $"{arrived}: one of them has lost its place. Remove the conversation on both machines.");
    }

    /// <summary>Who logs in looks by itself, and is not to be stopped.</summary>
    private void WakeReader()
    {
        Interlocked.MemoryBarrier(); // what it is to see first; LogIn has the other one
        if (_isLoggedIn)
            _connection.Stop();
    }

    /// <summary>Logs in, as the client. Meanwhile it carries what is there: a server that waits for room in this
    /// conversation does not answer before.</summary>
    /// <returns>False: the exit has been told why not.</returns>
    private bool LogIn(NamedLeg leg, Hello hello, TcpEntranceOptions options)
    {
        TcpRefusedException? refused = null;
        Thread asks = new(() =>
        {
            try
            {
                Connect(hello, options);
            }
            catch (TcpRefusedException e)
            {
                refused = e;
            }
            catch (IpcException e)
            {
                refused = EntranceLeg.RefusalOf(e);
            }
        })
        { IsBackground = true, Name = "ipc-tcp-ask" };
        try
        {
            asks.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            leg.EndWire(CloseCode.Shutdown, "The entrance has no memory for another thread.");
            return false;
        }

        do
            leg.Forward(null);
        while (!asks.Join(LooksAgainAfter));
        if (refused is not null)
        {
            leg.EndWire(refused.Code, refused.Message);
            return false;
        }

        leg.TakesMessages = _isLoggedIn = true;
        Interlocked.MemoryBarrier();
        leg.Acknowledge(); // what came before anybody was woken for it
        new LoggedIn { Reply = _connection.ReadReply(), Identity = _connection.Identity ?? hello.Server }.Send(_wire);
        // Not before: the server may take long to answer. The client has not waited for that, and comes again.
        leg.EndWhenIdle(options.IdleTimeout, grace: NamedRoute.KeepsAnswer);
        return true;
    }

    /// <summary>From the ring to TCP; on a thread of its own, which also acknowledges.</summary>
    private void Forward(Hello hello, TcpEntranceOptions options)
    {
        NamedLeg leg = _leg!;
        try
        {
            if (!LogIn(leg, hello, options))
                return;
            long looked = Clock.Now;
            while (!Volatile.Read(ref _isOver))
            {
                IpcStatus status = _connection.Receive(
                    out NamedMessage message, Deadline.FromMilliseconds(LooksForServerAfter));
                if (status == IpcStatus.Ok)
                {
                    leg.ForwardFirst(message);
                    leg.Forward(null);
                }

                if (status is IpcStatus.Ok or IpcStatus.Timeout)
                {
                    // A successor may have taken the conversation before this thread saw that the ring had no reader:
                    // what says that the server has gone is the session alone. The client is to log in anew.
                    if (looked + LooksForServerAfter <= Clock.Now)
                    {
                        looked = Clock.Now;
                        if (!_connection.IsConnected)
                        {
                            Tell(leg, IpcStatus.PeerClosed);
                            return;
                        }
                    }

                    continue;
                }

                if (status != IpcStatus.Stopped)
                {
                    Tell(leg, status);
                    return;
                }

                if (Volatile.Read(ref _isOver))
                    return;
                _connection.Resume(); // first: who stops it afterwards is seen
                leg.Acknowledge();
            }
        }
        catch (Exception e) when (e is IpcException or TcpProtocolException)
        {
            _wire.Close(CloseCode.Protocol, e.Message);
        }
        catch (IOException)
        {
            // the reading thread finds out
        }
    }

    private void Tell(NamedLeg leg, IpcStatus status)
    {
        NamedConnectionChangedEventArgs? ended = Volatile.Read(ref _ended);
        if (ended is { Code: not CloseCode.None })
            leg.EndWire(ended.Code, ended.Text ?? "");
        else
            leg.EndWire(CloseCode.Lost, $"The server \"{_connection.ServerName}\": {status}.");
    }
}
