using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>One TCP connection of an entrance: it is greeted, then carries one connection to a server here.</summary>
internal sealed class EntranceLeg
{
    private readonly TcpEntrance _entrance;
    private readonly TcpEntranceOptions _options;
    private readonly Socket _socket;
    private Wire? _wire;

    public EntranceLeg(TcpEntrance entrance, TcpEntranceOptions options, Socket socket)
    {
        _entrance = entrance;
        _options = options;
        _socket = socket;
        try
        {
            RemoteEnd = socket.RemoteEndPoint?.ToString() ?? "?";
        }
        catch (SocketException)
        {
            RemoteEnd = "?"; // gone already
        }
    }

    /// <summary>The calling thread is a connection's.</summary>
    [field: ThreadStatic]
    public static bool IsOnItsThread { get; private set; }

    public string RemoteEnd { get; }

    /// <summary>Of a named connection, under the entrance's lock: its two names; null until it has them.</summary>
    public string? Key { get; set; }

    /// <summary>Of a named connection: the exit's.</summary>
    public Guid Conversation { get; set; }

    /// <summary>Under the entrance's lock: it has said who it is, and may be here.</summary>
    public bool IsGreeted { get; set; }

    /// <summary>Whether whoever is at the other end was there just now.</summary>
    public bool IsThere => Volatile.Read(ref _wire) is { IsOver: false, HasFinished: false, WasHeardLately: true };

    /// <summary>On its thread. It does not throw.</summary>
    public void Run()
    {
        IsOnItsThread = true;
        try
        {
            using Wire wire = Wire.Accept(_socket, _options);
            Volatile.Write(ref _wire, wire);
            Serve(wire);
        }
        catch (IOException)
        {
            // gone during the greeting
        }
        finally
        {
            _entrance.Forget(this);
        }
    }

    /// <summary>In good order, if the other end is there.</summary>
    public void End(string why)
    {
        if (Volatile.Read(ref _wire) is { } wire)
            wire.End(CloseCode.Shutdown, why);
        else
            Abort(why);
    }

    public void Abort(string why)
    {
        Volatile.Read(ref _wire)?.Abort(why);
        _socket.Dispose();
    }

    private void Serve(Wire wire)
    {
        try
        {
            Hello hello = Hello.Read(wire);
            Judge(hello);
            if (hello.Carries == Hello.CarriesNamed)
                EntranceOfNamed.Carry(this, _entrance, wire, hello, _options);
            else
                Carry(wire, hello);
        }
        catch (TcpRefusedException e)
        {
            _entrance.FreeNames(this); // first: who is refused may come again at once
            wire.SendRefused(e.Code, e.Message);
            wire.Drain();
        }
        catch (TcpProtocolException e)
        {
            wire.Close(CloseCode.Protocol, e.Message);
            wire.Drain();
        }
    }

    private void Judge(Hello hello)
    {
        if (hello.Oldest > Hello.Version || hello.Newest < Hello.Version)
            throw No($"The exit speaks versions {hello.Oldest} to {hello.Newest}, this entrance {Hello.Version}.");
        if (!IsSame(hello.Token, _options.Token.Span))
            throw No("The token is wrong.");
        if (hello.Carries is not (Hello.CarriesConnection or Hello.CarriesNamed))
            throw No($"The exit asks to carry {hello.Carries}: neither a connection (1) nor a named one (2).");
        bool isAllowed;
        try
        {
            // An address in the place of the name would lead from here to wherever the other machine wants.
            isAllowed = hello.Server.IndexOf(':') < 0 && _options.Allows(hello.Server);
        }
#pragma warning disable CA1031 // the user's code: what it throws is a no
        catch (Exception)
#pragma warning restore CA1031
        {
            isAllowed = false;
        }

        if (!isAllowed)
            throw No($"The entrance does not lead to \"{hello.Server}\".");
        if (!_entrance.TryCount(this))
            throw Later($"The entrance has {_options.MaxConnections} connections, its maximum.");
    }

    /// <summary>In the same time for any token of that length.</summary>
    private static bool IsSame(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        int difference = one.Length ^ other.Length;
        for (int i = 0; i < Math.Min(one.Length, other.Length); i++)
            difference |= one[i] ^ other[i];
        return difference == 0;
    }

    public static TcpRefusedException No(string text) => new(CloseCode.Refused, text);

    public static TcpRefusedException Later(string text) => new(CloseCode.Shutdown, text);

    /// <summary>By what became of an attempt to reach a server here.</summary>
    public static TcpRefusedException RefusalOf(IpcException error) => error switch
    {
        ConnectionRefusedException { Code: CloseCode.Identity } => new(CloseCode.Identity, error.Message),
        ConnectionRefusedException => No(error.Message),
        {
            Status: IpcStatus.NotFound or IpcStatus.Timeout or IpcStatus.PeerClosed or IpcStatus.PeerDied or
                IpcStatus.TableFull or IpcStatus.NoSpace
        } => Later(error.Message),
        _ => No(error.Message),
    };

    private void Carry(Wire wire, Hello hello)
    {
        ConnectOptions like = _options.Connections ?? new ConnectOptions();
        Connection connection;
        try
        {
            connection = Connection.Connect(hello.Server, new ConnectOptions
            {
                ToServerCapacity = like.ToServerCapacity,
                ToClientCapacity = like.ToClientCapacity,
                LoanBudget = like.LoanBudget,
                WaitMode = like.WaitMode,
                SpinLimit = like.SpinLimit,
                Access = like.Access,
                Hello = hello.ClientHello,
                Protocol = like.Protocol,
            });
        }
        catch (IpcException e)
        {
            throw RefusalOf(e);
        }

        using (connection)
        {
            PlainLeg leg = new(connection, wire);
            new Welcome { Alive = (uint)_options.AliveMilliseconds, Longest = (uint)_options.MaxMessage }.Send(wire);
            wire.Begin(hello.Alive, hello.Longest);
            leg.EndWhenIdle(_options.IdleTimeout);
            Thread forwards = new(() => Forward(connection, leg, wire)) { IsBackground = true, Name = "ipc-tcp-out" };
            Start(forwards, wire);
            leg.Receive();
            forwards.Join();
        }
    }

    /// <summary>Without the system's last thread there is no way.</summary>
    public static void Start(Thread thread, Wire wire)
    {
        try
        {
            thread.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            wire.Abort("The entrance has no memory for another thread.");
            throw new IOException("The entrance has no memory for another thread.", e);
        }
    }

    private static void Forward(Connection connection, PlainLeg leg, Wire wire)
    {
        try
        {
            IpcStatus status;
            while ((status = connection.Reader.Wait(Deadline.Never)) == IpcStatus.Ok)
                leg.Forward(null);
            if (status is IpcStatus.PeerClosed or IpcStatus.PeerDied)
                leg.EndWire();
        }
        catch (Exception e) when (e is IpcException or TcpProtocolException)
        {
            wire.Close(CloseCode.Protocol, e.Message);
        }
    }
}
