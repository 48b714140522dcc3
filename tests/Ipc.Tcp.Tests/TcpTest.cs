using System;
using System.Text;
using Ipc.Core.Tests;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>Both machines are this one, and one directory has the regions of both: servers are named "there", exits "here".</summary>
public abstract class TcpTest : RegionTest
{
    protected TcpEntranceOptions EntranceOptions { get; } = new() { Allows = static name => name == "there" };

    protected TcpExitOptions ExitOptions { get; } = new();

    protected TcpEntrance OpenEntrance() => Own(TcpEntrance.Open(EntranceOptions));

    protected static string AddressOf(TcpEntrance entrance, string name = "there") => $"tcp:127.0.0.1:{entrance.Endpoint.Port}/{name}";

    /// <summary>In between there may be a network that is not one.</summary>
    protected BadNetwork OpenNetwork(TcpEntrance entrance) => Own(new BadNetwork(entrance.Endpoint));

    protected static string AddressOf(BadNetwork network) => $"tcp:127.0.0.1:{network.Port}/there";

    protected static Connection Connect(string name = "here") => Connection.Connect(name, new ConnectOptions { Deadline = Deadline.After(Watchdog.Patience) });

    protected static string Echo(Connection connection, string text) => EchoServer.Call(connection, text);

    /// <summary>In good order: every call that it has begun has ended.</summary>
    protected static void End(RpcServer server) => Assert.True(server.StopAsync().Wait(Watchdog.Patience), "the server to end");

    protected static byte[] Text(string text) => Encoding.UTF8.GetBytes(text);
}
