namespace Ipc.Native;

/// <summary>What a call came to: <c>ipc_status</c>. Zero is success, positive values are ordinary outcomes that calls return, negative
/// ones are errors that they throw as <see cref="NativeException"/>.</summary>
public enum NativeStatus
{
    /// <summary>Done.</summary>
    Ok = 0,

    /// <summary>No space now.</summary>
    Full = 1,

    /// <summary>Nothing to read now.</summary>
    Empty = 2,

    /// <summary>The deadline passed.</summary>
    Timeout = 3,

    /// <summary>The object was stopped.</summary>
    Stopped = 4,

    /// <summary>The cancellation token was cancelled.</summary>
    Cancelled = 5,

    /// <summary>Closed on this side.</summary>
    Closed = 6,

    /// <summary>The other side left in good order, and everything it published has been read.</summary>
    PeerClosed = 7,

    /// <summary>The other side's process died, and everything it published has been read.</summary>
    PeerDied = 8,

    /// <summary>Acquired, but the holder before died holding it.</summary>
    Abandoned = 9,

    /// <summary>This reader was cut off by a writer that could not wait.</summary>
    Evicted = 10,

    /// <summary>Not a valid name.</summary>
    InvalidName = -1,

    /// <summary>No region of that name.</summary>
    NotFound = -2,

    /// <summary>A region of that name exists: live, persistent, or with unread messages in it.</summary>
    AlreadyExists = -3,

    /// <summary>The role is taken by a live participant.</summary>
    InUse = -4,

    /// <summary>The region is of another kind.</summary>
    WrongKind = -5,

    /// <summary>The region has another layout version, or the library is of another version than its caller.</summary>
    WrongVersion = -6,

    /// <summary>The bytes are not what they must be.</summary>
    Corrupt = -7,

    /// <summary>Permission denied, or owned by somebody else.</summary>
    AccessDenied = -8,

    /// <summary>The shared-memory file system is full.</summary>
    NoSpace = -9,

    /// <summary>Larger than the region allows; nothing was sent.</summary>
    TooLarge = -10,

    /// <summary>Too many participants.</summary>
    TableFull = -11,

    /// <summary>The server refused the connection.</summary>
    Refused = -12,

    /// <summary>An argument is out of range.</summary>
    InvalidArgument = -13,

    /// <summary>Not now: for example a commit without a claim.</summary>
    InvalidState = -14,

    /// <summary>A call of the operating system failed.</summary>
    SystemError = -15,

    /// <summary>No memory.</summary>
    NoMemory = -16,

    /// <summary>What has the name has another lifetime than the one that was asked for.</summary>
    WrongLifetime = -17,
}
