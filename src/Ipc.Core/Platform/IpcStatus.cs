namespace Ipc;

/// <summary>The result of a call. The numbers are those of <c>ipc_status</c> in ipc.h.</summary>
/// <remarks>Zero is success; positive values are normal outcomes and are returned; negative ones are errors and
/// are thrown in an <see cref="IpcException"/>.</remarks>
public enum IpcStatus
{
    /// <summary>Success.</summary>
    Ok = 0,
    /// <summary>There is no room now; nothing was sent.</summary>
    Full = 1,
    /// <summary>There is nothing to read now.</summary>
    Empty = 2,
    /// <summary>The deadline passed.</summary>
    Timeout = 3,
    /// <summary>The object was stopped; its waits end with this status until it is resumed.</summary>
    Stopped = 4,
    /// <summary>The token of this call was cancelled.</summary>
    Cancelled = 5,
    /// <summary>The object was closed in this process.</summary>
    Closed = 6,
    /// <summary>The other side was closed, and everything that it published has been read.</summary>
    PeerClosed = 7,
    /// <summary>The other side's process died, and everything that it published has been read.</summary>
    PeerDied = 8,
    /// <summary>Acquired, but the last holder died or closed it while holding it: the protected data may be half
    /// updated.</summary>
    Abandoned = 9,
    /// <summary>A writer has cut this reader off; it may rejoin.</summary>
    Evicted = 10,

    /// <summary>Not a valid name.</summary>
    InvalidName = -1,
    /// <summary>There is nothing of that name.</summary>
    NotFound = -2,
    /// <summary>One of that name exists and is in use, persistent, or holds messages.</summary>
    Exists = -3,
    /// <summary>A live participant has the role, such as a ring's writer.</summary>
    InUse = -4,
    /// <summary>The name belongs to a structure of another kind, or the listener speaks another protocol.</summary>
    WrongKind = -5,
    /// <summary>The region has another layout version, or the listener no version of the protocol in common with
    /// us.</summary>
    WrongVersion = -6,
    /// <summary>The contents of the region are invalid.</summary>
    Corrupt = -7,
    /// <summary>Permission denied, or the file belongs to another user.</summary>
    AccessDenied = -8,
    /// <summary>The shared-memory file system is full.</summary>
    NoSpace = -9,
    /// <summary>The message is longer than allowed; nothing was sent.</summary>
    TooLarge = -10,
    /// <summary>All places for participants are taken.</summary>
    TableFull = -11,
    /// <summary>The server refused the connection.</summary>
    Refused = -12,
    /// <summary>An argument is out of range.</summary>
    InvalidArgument = -13,
    /// <summary>The call is not allowed now: a commit without a claim, for example.</summary>
    InvalidState = -14,
    /// <summary>A system call failed.</summary>
    SystemError = -15,
    /// <summary>Out of memory.</summary>
    NoMemory = -16,
    /// <summary>The existing one has another lifetime than was requested.</summary>
    WrongLifetime = -17,
}
