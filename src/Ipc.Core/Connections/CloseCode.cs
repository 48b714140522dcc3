namespace Ipc;

/// <summary>Why a side closed a connection; docs/wire-format.md section 6.</summary>
public enum CloseCode
{
    /// <summary>The side has not closed. It is also the value after the side's process died: the kernel reports a
    /// death, not a code.</summary>
    None = 0,
    /// <summary>The side had no more to do.</summary>
    Normal = 1,
    /// <summary>The server refused the connection.</summary>
    Refused = 2,
    /// <summary>The other side wrote an invalid ring or frame.</summary>
    Corrupt = 3,
    /// <summary>The server is ending.</summary>
    Shutdown = 4,
    /// <summary>The other side violated the protocol that is used over the connection.</summary>
    Protocol = 5,
    /// <summary>The server is another one than the one that this client's named connection is with.</summary>
    Identity = 6,
    /// <summary>The side was on another machine, or between: the way to it was lost. Nothing is known of what it has
    /// done.</summary>
    Lost = 7,
}
