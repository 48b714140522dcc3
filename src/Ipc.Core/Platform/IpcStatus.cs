namespace Ipc;

/// <summary>What became of a call. The numbers are those of <c>ipc_status</c> in ipc.h.</summary>
/// <remarks>Zero is success; positive values are ordinary outcomes and are returned; negative ones are errors and
/// arrive in an <see cref="IpcException"/>.</remarks>
public enum IpcStatus
{
    /// <summary>Done.</summary>
    Ok = 0,
    /// <summary>No space now.</summary>
    Full = 1,
    /// <summary>Nothing to read now.</summary>
    Empty = 2,
    /// <summary>The deadline passed.</summary>
    Timeout = 3,
    /// <summary>The object was stopped; waits end like this until it is resumed.</summary>
    Stopped = 4,
    /// <summary>The token of this call was cancelled.</summary>
    Cancelled = 5,
    /// <summary>Closed on this side.</summary>
    Closed = 6,
    /// <summary>The other side left in good order, and everything that it published has been read.</summary>
    PeerClosed = 7,
    /// <summary>The other side's process died, and everything that it published has been read.</summary>
    PeerDied = 8,
    /// <summary>Acquired, but the previous holder died holding it: what it protects may be half-changed.</summary>
    Abandoned = 9,
    /// <summary>This reader was cut off by a writer; it may join again.</summary>
    Evicted = 10,

    /// <summary>Not a valid name.</summary>
    InvalidName = -1,
    /// <summary>Nothing of that name.</summary>
    NotFound = -2,
    /// <summary>Something of that name exists: live, persistent, or with messages in it.</summary>
    Exists = -3,
    /// <summary>The role is taken by a live participant.</summary>
    InUse = -4,
    /// <summary>The region is of another kind.</summary>
    WrongKind = -5,
    /// <summary>The region has another layout version.</summary>
    WrongVersion = -6,
    /// <summary>The bytes are not what they must be.</summary>
    Corrupt = -7,
    /// <summary>Permission denied, or owned by somebody else.</summary>
    AccessDenied = -8,
    /// <summary>The shared-memory file system is full.</summary>
    NoSpace = -9,
    /// <summary>Larger than the ring allows; nothing was sent.</summary>
    TooLarge = -10,
    /// <summary>Too many participants.</summary>
    TableFull = -11,
    /// <summary>The server refused the connection.</summary>
    Refused = -12,
    /// <summary>An argument is out of range.</summary>
    InvalidArgument = -13,
    /// <summary>Not now: a commit without a claim, for example.</summary>
    InvalidState = -14,
    /// <summary>A call of the operating system failed.</summary>
    SystemError = -15,
    /// <summary>Out of memory.</summary>
    NoMemory = -16,
    /// <summary>What has the name has another lifetime than the one that was asked for.</summary>
    WrongLifetime = -17,
}
