using System;
using System.Diagnostics;

namespace Ipc.Rpc;

/// <summary>The W3C trace context of a call, as its head carries it: trace id (16 bytes), span id (8), flags (1), and
/// the trace state as text.</summary>
internal static class TraceContext
{
    /// <summary>Puts the present span into a head, if somebody listens to calls and there is one.</summary>
    /// <param name="head">The head so far; one is made when it is needed.</param>
    public static void AddTo(ref CallHead? head)
    {
#if NET
        if (!RpcTelemetry.Source.HasListeners() || Activity.Current is not { IdFormat: ActivityIdFormat.W3C } activity)
            return;

        var trace = new byte[CallHead.TraceLength];
        activity.TraceId.CopyTo(trace.AsSpan(0, 16)); // it fills what it gets
        activity.SpanId.CopyTo(trace.AsSpan(16, 8));
        trace[24] = (byte)activity.ActivityTraceFlags;
        head ??= new CallHead();
        head.Trace = trace;
        head.TraceState = activity.TraceStateString;
#endif
    }

#if NET
    /// <summary>The caller's span, if the head names one. An id of zeros names none.</summary>
    public static bool TryRead(CallHead? head, out ActivityContext context)
    {
        context = default;
        if (head is null || head.Trace.Length != CallHead.TraceLength)
            return false;

        ReadOnlySpan<byte> trace = head.Trace.Span;
        if (trace.Slice(0, 16).IndexOfAnyExcept((byte)0) < 0 || trace.Slice(16, 8).IndexOfAnyExcept((byte)0) < 0)
            return false;

        context = new ActivityContext(
            ActivityTraceId.CreateFromBytes(trace.Slice(0, 16)), ActivitySpanId.CreateFromBytes(trace.Slice(16, 8)),
            (ActivityTraceFlags)(trace[24] & (byte)ActivityTraceFlags.Recorded), head.TraceState, isRemote: true);
        return true;
    }
#endif
}
