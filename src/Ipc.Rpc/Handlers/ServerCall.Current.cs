using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// Which call a piece of code belongs to. A synchronous handler has a thread, so a field of the thread says it and
// nothing is allocated. An asynchronous one continues anywhere: its context flows with its tasks, and never changes
// once it has been made, because tasks that the handler left behind may look at it when the call has long been over.
// What flows is therefore made anew for every call (about 200 bytes), also for handlers that return at once: whether
// such a one has left something behind cannot be known. That it allocated nothing proves nothing; a registration, a
// timer or a pooled state machine keeps the flow in an object that was there before.

/// <content>The call whose handler runs here.</content>
internal sealed partial class ServerCall
{
    private static readonly AsyncLocal<RpcContext?> _flowing = new();
    [System.ThreadStatic]
    private static ServerCall? _ofThread;
    private static bool _flows; // [flag] most clients never handle a call: theirs skip the look-up

    /// <summary>The call whose synchronous handler this thread is in.</summary>
    public static ServerCall? OfThread => _ofThread;

    /// <summary>What <see cref="RpcContext.Current"/> says.</summary>
    public static RpcContext? CurrentContext =>
        _ofThread is { } call ? call.Context : Volatile.Read(ref _flows) ? _flowing.Value : null;

    /// <summary>The deadline of the call that is being handled here, in nanoseconds; 0 for none.</summary>
    public static ulong CurrentDeadline =>
        _ofThread is { } call ? call.Header.Deadline : Volatile.Read(ref _flows) ? _flowing.Value?.Moment ?? 0 : 0;

    /// <summary>The token of the call that is being handled here, for a call that is made and ends inside it.</summary>
    public static CancellationToken CurrentToken
        => _ofThread is { } call
            ? call.Token
            : Volatile.Read(ref _flows) ? _flowing.Value?.Cancellation ?? default : default;

    /// <summary>The connection whose call is being handled here; <see langword="null"/> for none, and in a task that a
    /// handler has left behind.</summary>
    public static CalleeLink? CurrentLink =>
        _ofThread is { } call ? call.Callee.Link : Volatile.Read(ref _flows) ? _flowing.Value?.OpenLink : null;

    /// <summary>A handler begins, or with <see langword="null"/> something that has no thread of its own.</summary>
    /// <returns>What this thread was in before: a handler that calls may handle a callback while it waits.</returns>
    [MethodImpl(Tiering.Optimized)]
    public static ServerCall? EnterThread(ServerCall? call)
    {
        ServerCall? outer = _ofThread;
        _ofThread = call;
        return outer;
    }

    public static void LeaveThread(ServerCall? outer) => _ofThread = outer;

    /// <summary>Lets the context flow from here on with the tasks that are started.</summary>
    /// <returns>What flowed before.</returns>
    public RpcContext? EnterFlow()
    {
        if (!Volatile.Read(ref _flows))
            Volatile.Write(ref _flows, true);
        RpcContext? outer = _flowing.Value;
        _flowing.Value = Context;
        return outer;
    }

    public static void LeaveFlow(RpcContext? outer) => _flowing.Value = outer;
}
