namespace Ipc;

/// <summary>What <see cref="Listener.Next"/> found.</summary>
public enum ListenerEventKind
{
    /// <summary>No event: the wait ended with another status.</summary>
    None = 0,
    /// <summary>A client wants to connect: answer with <see cref="Ipc.Connection.Accept"/> (then return it to the
    /// listener) or <see cref="Ipc.Connection.Refuse"/>.</summary>
    Connect = 1,
    /// <summary>Records may be waiting: read until there are none, then return it.</summary>
    Readable = 2,
    /// <summary>The client closed or died, and everything was read; or
    /// <see cref="Ipc.Connection.Shutdown(CloseCode, string)"/> was called while it was not lent: dispose it.</summary>
    Closed = 3,
}
