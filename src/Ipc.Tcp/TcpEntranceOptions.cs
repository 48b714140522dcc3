using System;
using System.Net;

namespace Ipc.Tcp;

/// <summary>Options of a <see cref="TcpEntrance"/>.</summary>
public sealed class TcpEntranceOptions : TcpOptions
{
    /// <summary>Where it listens. Default: 127.0.0.1 and a port that the system chooses, so that nobody is let in from
    /// elsewhere without having been asked for.</summary>
    public IPEndPoint Endpoint { get; set; } = new(IPAddress.Loopback, 0);

    /// <summary>Which servers of this machine may be reached: called on a thread of its own with the name that the
    /// other machine asks for; an address (<see cref="AddressScheme"/>) is refused before. What it throws is a no.
    /// Default: none.</summary>
    public Func<string, bool> Allows { get; set; } = static _ => false;

    /// <summary>How many connections at once; more are refused. Each has two threads. As many strangers may be about
    /// to say who they are, with a thread each: where there are more, the one who has been silent for the longest goes.
    /// Default: 256.</summary>
    public int MaxConnections { get; set; } = 256;

    /// <summary>A connection over which nothing but signs of life has gone in either direction for so long is ended:
    /// <see cref="CloseCode.Shutdown"/>. Of a named one nothing is lost: its client logs in again when it next sends or
    /// receives. Other clients have to connect again, as <c>RpcClient</c> does by itself; a call that has run for so
    /// long ends as one of which nothing is known. It is looked for whenever the other end says that it is there
    /// (<see cref="TcpOptions.Alive"/>). 10 ms to 24 days. Default: zero, never.</summary>
    public TimeSpan IdleTimeout { get; set; }

    /// <summary>Ring sizes and loan budget of the connections that it makes here, and how they wait. Null: the
    /// defaults.</summary>
    public ConnectOptions? Connections { get; set; }

    /// <summary>The same of named connections.</summary>
    public NamedConnectionOptions? NamedConnections { get; set; }
}
