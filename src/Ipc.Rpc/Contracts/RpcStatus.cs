namespace Ipc.Rpc;

/// <summary>How a call ended; the table of docs/rpc-protocol.md section 3. The numbers are gRPC's.</summary>
public enum RpcStatus
{
    /// <summary>It succeeded. Never in an exception.</summary>
    Ok = 0,

    /// <summary>The caller cancelled it.</summary>
    Cancelled = 1,

    /// <summary>The handler threw; type and text are the exception's.</summary>
    Unknown = 2,

    /// <summary>The request could not be decoded, or the handler refused it.</summary>
    InvalidArgument = 3,

    /// <summary>The deadline passed. Whether the handler ran is not known.</summary>
    DeadlineExceeded = 4,

    /// <summary>The handler did not find what was asked for.</summary>
    NotFound = 5,

    /// <summary>The handler found what should not have been there.</summary>
    AlreadyExists = 6,

    /// <summary>The handler refuses this caller.</summary>
    PermissionDenied = 7,

    /// <summary>A message is larger than the ring allows, or too many calls are pending.</summary>
    ResourceExhausted = 8,

    /// <summary>The handler needs a state that it is not in.</summary>
    FailedPrecondition = 9,

    /// <summary>The handler gave up, for example over a conflict.</summary>
    Aborted = 10,

    /// <summary>The handler was asked for something beyond a range.</summary>
    OutOfRange = 11,

    /// <summary>The server has no such service or method, or has it as another kind.</summary>
    Unimplemented = 12,

    /// <summary>A response could not be encoded or decoded.</summary>
    Internal = 13,

    /// <summary>There is no server, or it died or closed. Whether a pending call's handler ran is not known.</summary>
    Unavailable = 14,

    /// <summary>The peer wrote an invalid frame or ring; the connection is closed.</summary>
    DataLoss = 15,

    /// <summary>The server refused the connection.</summary>
    Unauthenticated = 16,
}
