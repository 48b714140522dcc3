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
    /// <see cref="CloseCode.Shutdown"/>. It is looked for whenever the other end says that it is there
    /// (<see cref="TcpOptions.Alive"/>), and not while the server has not taken all that came. 10 ms to 24 days.
    /// Default: zero, never.</summary>
    /// <remarks>The time of a named connection begins 10 s after its login at the earliest, as long as its client has
    /// sent nothing since: a client that was told to come again finds it open. Nothing of it is lost: its client logs
    /// in again when it next sends or receives, and what it sends just as it ends waits on its machine until then.
    /// Other clients have to connect again, as <c>RpcClient</c> does with its next call. An entrance does not know
    /// whether they wait for something: a call that runs for so long ends as one of which nothing is known, a stream on
    /// which nothing goes for so long ends, its client cannot be called back before its next call, and a one-way call
    /// that is made just as the connection ends is lost. Leave it off for one-way calls, subscriptions and callbacks,
    /// and make it longer than the longest call.</remarks>
    public TimeSpan IdleTimeout { get; set; }

    /// <summary>Ring sizes and loan budget of the connections that it makes here, and how they wait. Null: the
    /// defaults.</summary>
    public ConnectOptions? Connections { get; set; }

    /// <summary>The same of named connections.</summary>
    public NamedConnectionOptions? NamedConnections { get; set; }
}
