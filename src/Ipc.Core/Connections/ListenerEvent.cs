namespace Ipc;

/// <summary>A connection to look after, lent to the caller of <see cref="Listener.Next"/> until it is returned, refused
/// or disposed.</summary>
public readonly struct ListenerEvent
{
    internal ListenerEvent(ListenerEventKind kind, Connection connection)
    {
        Kind = kind;
        Connection = connection;
    }

    /// <summary>What to do.</summary>
    public ListenerEventKind Kind { get; }

    /// <summary>With which one. Not to be used when <see cref="Kind"/> is None.</summary>
    public Connection Connection { get; }
}
