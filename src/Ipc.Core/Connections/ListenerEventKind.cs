namespace Ipc;

/// <summary>What <c>Listener.Next</c> found.</summary>
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
    /// <summary>Another server has the name now (<see cref="ListenerOptions.TakeOver"/>), told once: who has asked and
    /// was not accepted is sent there, and nobody else will ask. The connections stay: shut them down with
    /// <see cref="CloseCode.Shutdown"/>, or let them run out, then dispose the listener. There is no connection with
    /// this event.</summary>
    Followed = 4,
}
