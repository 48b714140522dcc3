namespace Ipc;

/// <summary>An event of a connection, which is lent to the caller of <c>Listener.Next</c> until it is returned,
/// refused or disposed.</summary>
public readonly struct ListenerEvent
{
    internal ListenerEvent(ListenerEventKind kind, Connection connection)
    {
        Kind = kind;
        Connection = connection;
    }

    /// <summary>What has happened.</summary>
    public ListenerEventKind Kind { get; }

    /// <summary>The connection. Do not use it when <see cref="Kind"/> is None or Followed.</summary>
    public Connection Connection { get; }
}
