namespace Ipc;

/// <summary>What <c>NamedListener.Next</c> found.</summary>
public enum NamedEventKind
{
    /// <summary>No event: the wait ended with another status.</summary>
    None = 0,

    /// <summary>A client logs in: answer with <see cref="NamedConnection.Accept"/> or
    /// <see cref="NamedConnection.Refuse"/>. It may be one that was here before: then the connection is the same
    /// object, unless that was disposed.</summary>
    Login = 1,

    /// <summary>Messages may be waiting: receive until there are none, then <see cref="NamedListener.Return"/>
    /// it.</summary>
    Readable = 2,

    /// <summary>The session has ended, and everything that the client had sent was received. The connection is as good
    /// as before for sending; dispose it if its client is not expected back soon.</summary>
    Logout = 3,
}

/// <summary>An event of a named connection.</summary>
public readonly struct NamedEvent
{
    internal NamedEvent(NamedEventKind kind, NamedConnection connection, IpcStatus reason, CloseCode code)
    {
        Kind = kind;
        Connection = connection;
        Reason = reason;
        Code = code;
    }

    /// <summary>What has happened.</summary>
    public NamedEventKind Kind { get; }

    /// <summary>The connection. Do not use it when <see cref="Kind"/> is None.</summary>
    public NamedConnection Connection { get; }

    /// <summary>Of a logout: PeerClosed or PeerDied. Otherwise Ok.</summary>
    public IpcStatus Reason { get; }

    /// <summary>Of a logout: the client's code; None when it has died.</summary>
    public CloseCode Code { get; }
}
