namespace Ipc;

/// <summary>Why a side closed a connection; docs/wire-format.md section 6.</summary>
public enum CloseCode
{
    /// <summary>It has not. A process that died leaves this too: the kernel tells of it, not a code.</summary>
    None = 0,
    /// <summary>It was done.</summary>
    Normal = 1,
    /// <summary>The server did not want the connection.</summary>
    Refused = 2,
    /// <summary>The other side wrote what is not a ring or a frame.</summary>
    Corrupt = 3,
    /// <summary>The server ends.</summary>
    Shutdown = 4,
    /// <summary>The other side broke the protocol that is spoken over the connection.</summary>
    Protocol = 5,
}
