using System;

namespace Ipc.Tcp;

/// <summary>A server of another machine under a name of this one: whoever connects to that name here, in whatever
/// language, is connected to it over TCP.</summary>
/// <remarks>
/// <para>It is a server here, in any process of its clients' user: a program opens one for itself, or <c>ipc exit</c>
/// runs for all. A thread for each connection, and some that take turns for all.</para>
/// <para>It calls code of the user's on the thread of each connection, of several at once:
/// <see cref="TcpTls.Validate"/>, without a lock.
/// docs/tcp-protocol.md has the bytes.</para>
/// </remarks>
public sealed class TcpExit : IDisposable
{
    private readonly IExit _exit;

    private TcpExit(IExit exit, string name, TcpAddress address)
    {
        _exit = exit;
        Name = name;
        Address = address.ToString();
    }

    /// <summary>The name under which the server can be reached here.</summary>
    public string Name { get; }

    /// <summary>Where the server is: <c>tcp:HOST:PORT/NAME</c>.</summary>
    public string Address { get; }

    /// <summary>Opens an exit for connections: for calls, pipes and streams of bytes. The other machine is asked when a
    /// client connects; a client learns as from a server here that there is none, or that it refuses.</summary>
    /// <remarks>When the way is lost, connections close with <see cref="CloseCode.Lost"/>: nothing is known of what the
    /// other side has done by then. A client that reconnects (<c>RpcClient</c> does by itself) gets the way
    /// anew.</remarks>
    /// <param name="name">The name here; as a listener's.</param>
    /// <param name="address"><c>tcp:HOST:PORT/NAME</c>: of a <see cref="TcpEntrance"/>, and a server's name
    /// there.</param>
    /// <param name="options">Null: all defaults.</param>
    /// <exception cref="ArgumentException">That is no address; or an option is out of its range.</exception>
    /// <exception cref="IpcException">InUse: a live server has the name; or any status of opening a
    /// region.</exception>
    public static TcpExit Open(string name, string address, TcpExitOptions? options = null)
    {
        TcpAddress there = TcpAddress.Parse(address);
        TcpExitOptions own = (TcpExitOptions)(options ?? new TcpExitOptions()).Copy();
        return new TcpExit(ExitOfConnections.Open(name, there, own), name, there);
    }

    /// <summary>Opens an exit for named connections: a <see cref="NamedConnection"/> to that name has its messages
    /// carried to the other machine, each once, in order, and under the same number, whoever is killed and however
    /// often the way is lost.</summary>
    /// <remarks>Messages travel while the client is logged in. They stay in the region here until the other machine has
    /// them in its own. A client is logged in when the server there has accepted it, and logged out
    /// (<see cref="CloseCode.Lost"/>, or the server's code and words) when the way or the server has gone; then it
    /// tries again, as it does with a server here.</remarks>
    /// <param name="name">The name here; as a listener's.</param>
    /// <param name="address"><c>tcp:HOST:PORT/NAME</c>: of a <see cref="TcpEntrance"/>, and of a
    /// <see cref="NamedListener"/> there.</param>
    /// <param name="options">Null: all defaults.</param>
    /// <exception cref="ArgumentException">That is no address; or an option is out of its range.</exception>
    /// <exception cref="IpcException">InUse: a live server has the name; or any status of opening a
    /// region.</exception>
    public static TcpExit OpenNamed(string name, string address, TcpExitOptions? options = null)
    {
        TcpAddress there = TcpAddress.Parse(address);
        TcpExitOptions own = (TcpExitOptions)(options ?? new TcpExitOptions()).Copy();
        return new TcpExit(ExitOfNamed.Open(name, there, own), name, there);
    }

    /// <summary>Removes the name and ends all connections with <see cref="CloseCode.Shutdown"/>, on both machines.
    /// Messages of named connections stay for the next exit of that name.</summary>
    public void Dispose() => _exit.Dispose();
}

internal interface IExit : IDisposable
{
}
