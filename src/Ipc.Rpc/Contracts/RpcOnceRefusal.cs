namespace Ipc.Rpc;

/// <summary>Why a server did not execute a call of a method with <see cref="IpcOnceAttribute"/>, nor answer it from
/// memory.</summary>
public enum RpcOnceRefusal
{
    /// <summary>It did; or the failure is another one.</summary>
    None = 0,

    /// <summary>The server died while it executed the call: whether that was done, or how far, nobody knows.</summary>
    Unknown = 1,

    /// <summary>The id of the call is older than what the server remembers: whether the call was executed is not known.
    /// A server without a store remembers nothing from before its start.</summary>
    Forgotten = 2,

    /// <summary>The call was executed, but its outcome was longer than <see cref="RpcOnceOptions.MaxOutcomeBytes"/> and
    /// is not remembered.</summary>
    NotKept = 3,

    /// <summary>Another call has the same id: of another method, or with another request. This one was not
    /// executed.</summary>
    OtherCall = 4,

    /// <summary>The server's memory is full of calls that are being executed. This one was not executed.</summary>
    Full = 5,

    /// <summary>The id was made later than it is at the server: the clocks differ, or were set back. The call was not
    /// executed.</summary>
    Early = 6,

    /// <summary>The server's store could not be written. The call was not executed.</summary>
    NotStored = 7,

    /// <summary>The call waited for an earlier request of the same call, which ended before its handler began. It was
    /// not executed; a client makes it again by itself, as long as its deadline allows.</summary>
    Interrupted = 8,
}
