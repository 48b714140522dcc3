using System;

namespace Ipc.Rpc;

/// <summary>What callers are told whose calls are neither executed nor answered from memory.</summary>
internal static class OnceRefusals
{
    /// <summary>What a frame says in its field for the method: that, and the refusal.</summary>
    private const uint First = 16;

    /// <summary>Its first request ended before its handler began.</summary>
    public static readonly OnceOutcome Interrupted = Outcome(RpcOnceRefusal.Interrupted, null);

    public static RpcStatus StatusOf(RpcOnceRefusal refusal) => refusal switch
    {
        RpcOnceRefusal.Unknown or RpcOnceRefusal.NotKept => RpcStatus.Aborted,
        RpcOnceRefusal.OtherCall => RpcStatus.AlreadyExists,
        RpcOnceRefusal.Full => RpcStatus.ResourceExhausted,
        RpcOnceRefusal.NotStored => RpcStatus.Internal,
        RpcOnceRefusal.Interrupted => RpcStatus.Unavailable,
        _ => RpcStatus.FailedPrecondition,
    };

    public static string TextOf(RpcOnceRefusal refusal, string? more) => refusal switch
    {
        RpcOnceRefusal.Unknown =>
            "Whether the call was executed is not known: a server began it and died before its outcome was stored. " +
            "Find out what it has done before you call with a new id.",
        RpcOnceRefusal.Forgotten =>
            "Whether the call was executed is not known: its id" + more + " is older than what the server remembers " +
            "(RpcServerOptions.Once; from before its start, only what is in its store). Find out before you call " +
            "with a new id.",
        RpcOnceRefusal.NotKept =>
            "The call was executed; its outcome, of " + more + ", is longer than RpcOnceOptions.MaxOutcomeBytes and " +
            "was not kept.",
        RpcOnceRefusal.OtherCall =>
            "The id" + more + " is that of another call: of another method, or with another request. The call was " +
            "not executed; use a new id.",
        RpcOnceRefusal.Full =>
            "The call was not executed: RpcOnceOptions.MaxOutcomes calls are being executed already" + more + ".",
        RpcOnceRefusal.Early =>
            "The call was not executed: its id" + more + " was made later than it is at the server; set the clocks, " +
            "or RpcOnceOptions.MaxClockAhead.",
        RpcOnceRefusal.NotStored =>
            "The call was not executed: the server's store could not be written: " + more,
        RpcOnceRefusal.Interrupted =>
            "The call was not executed: an earlier request of the same call ended before its handler began; make it " +
            "again.",
        _ => string.Empty,
    };

    public static RpcCallException Of(RpcOnceRefusal refusal, string? more, Exception? inner = null)
        => new(StatusOf(refusal), TextOf(refusal, more), inner) { OnceRefusal = refusal };

    public static OnceOutcome Outcome(RpcOnceRefusal refusal, string? more)
        => OnceOutcome.OfError(StatusOf(refusal), new ErrorBody(null, TextOf(refusal, more)), refusal);

    /// <summary>For the field of an error frame.</summary>
    public static uint ToWire(RpcOnceRefusal refusal)
        => refusal == RpcOnceRefusal.None ? 0 : First + (uint)refusal;

    public static RpcOnceRefusal OfWire(uint field)
        => field > First && field <= First + (uint)RpcOnceRefusal.Interrupted
            ? (RpcOnceRefusal)(field - First)
            : RpcOnceRefusal.None;

    /// <summary>Whether the refusal says for certain that this request executed nothing, and nothing else.</summary>
    public static bool IsNotExecuted(RpcOnceRefusal refusal)
        => refusal is RpcOnceRefusal.Full or RpcOnceRefusal.Early or RpcOnceRefusal.NotStored or
            RpcOnceRefusal.Interrupted;
}
