using System;
using System.Globalization;
using System.Net;
using System.Threading;
using Ipc.Tcp;

namespace Ipc.Peer.Storm;

/// <summary>The two that carry a named connection over TCP, until they are killed.</summary>
internal static class TcpSides
{
    public static int RunEntrance(string server, string host, string port, string ring, string pool)
    {
        using TcpEntrance entrance = TcpEntrance.Open(new TcpEntranceOptions
        {
            Endpoint = new IPEndPoint(IPAddress.Parse(host), int.Parse(port, CultureInfo.InvariantCulture)),
            Allows = name => name == server,
            Alive = TimeSpan.FromMilliseconds(500),
            NamedConnections = NamedWorker.SizeOf(ring, pool),
        });
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    public static int RunExit(string name, string address)
    {
        using TcpExit exit = TcpExit.OpenNamed(name, address, new TcpExitOptions { Alive = TimeSpan.FromMilliseconds(500) });
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }
}
