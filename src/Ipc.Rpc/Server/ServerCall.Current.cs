using System.Threading;

namespace Ipc.Rpc;

// Which call a piece of code belongs to. A synchronous handler has a thread, so a field of the thread says it and nothing is
// allocated. An asynchronous one continues anywhere: its context flows with its tasks (ContextFlow), and never changes once it has been made, because
// tasks that the handler left behind may look at it when the call has long been over.

/// <content>The call whose handler runs here.</content>
internal sealed partial class ServerCall
{
    [System.ThreadStatic]
    private static ServerCall? _ofThread;

    /// <summary>The call whose synchronous handler this thread is in.</summary>
    public static ServerCall? OfThread => _ofThread;

    /// <summary>What <see cref="RpcContext.Current"/> says.</summary>
    public static RpcContext? CurrentContext => _ofThread is { } call ? call.Context : ContextFlow.Current;

    /// <summary>The deadline of the call that is being handled here, in nanoseconds; 0 for none.</summary>
    public static ulong CurrentDeadline => _ofThread is { } call ? call.Header.Deadline : ContextFlow.Current?.Moment ?? 0;

    /// <summary>The token of the call that is being handled here, for a call that is made and ends inside it.</summary>
    public static CancellationToken CurrentToken
        => _ofThread is { } call ? call.Token : ContextFlow.Current?.BorrowedToken ?? default;

    /// <summary>A handler begins, or with <see langword="null"/> something that has no thread of its own.</summary>
    /// <returns>What this thread was in before: a handler that calls may handle a callback while it waits.</returns>
    public static ServerCall? EnterThread(ServerCall? call)
    {
        ServerCall? outer = _ofThread;
        _ofThread = call;
        return outer;
    }

    public static void LeaveThread(ServerCall? outer) => _ofThread = outer;
}
