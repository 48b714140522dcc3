using System.Runtime.CompilerServices;
using System.Threading;
#if !NET
using System.Threading.Tasks;
#endif

namespace Ipc.Rpc;

// What flows with code (AsyncLocal values, and with them CurrentCulture, CurrentPrincipal and Activity.Current) belongs
// to the thread that the code runs on until somebody puts something else there. One thread serves many callers, so
// somebody has to. The thread pool does it by comparing the thread's context with the default one and exchanging it
// only when it differs; so does this. Where nothing was set it costs two loads and two comparisons.
//
// Threads of this library are born without a context (OwnThread) and get rid of what a call has left behind (Undo).
// Threads of callers, which run code of others while they read, lay theirs aside meanwhile (Enter, Leave).
//
// .NET Framework has no way to exchange the context of a running thread. There, what starts an asynchronous method
// undoes what the method has set, and that is used for Undo; the few pieces of code that run on a thread of a caller go
// through ExecutionContext.Run.

/// <summary>Keeps what one call sets on its thread from every other call.</summary>
internal static class CleanContext
{
    private static readonly ExecutionContext s_clean = Find();

    /// <summary>Something to be done on a thread of this library.</summary>
    public interface IWork
    {
        void Run();
    }

    /// <summary>Does something on this thread, which is the library's. What it sets there is gone afterwards.</summary>
    [MethodImpl(Tiering.Optimized)]
    public static void Undo<T>(ref T work)
        where T : struct, IWork
    {
#if NET
        try
        {
            work.Run();
        }
        finally
        {
            if (!IsClean)
                Clean();
        }
#else
        var scope = new Scope<T> { Work = work };
        try
        {
            AsyncTaskMethodBuilder.Create().Start(ref scope);
        }
        finally
        {
            work = scope.Work;
        }
#endif
    }

    /// <summary>Lays aside what the present thread, anybody's, has set.</summary>
    /// <returns>What to <see cref="Leave"/> with.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OuterContext Enter()
    {
#if NET
        return IsClean ? default : OuterContext.LayAside(s_clean);
#else
        return SynchronizationContext.Current is null ? default : OuterContext.LayAside();
#endif
    }

    /// <summary>Puts it back.</summary>
    [MethodImpl(Tiering.Optimized)]
    public static void Leave(in OuterContext outer)
    {
        if (outer.IsAside)
        {
            outer.PutBack();
        }
#if NET
        else if (!IsClean)
        {
            Clean();
        }
#endif
    }

    /// <summary>Runs a handler on a thread of a caller.</summary>
    public static void Run<TRequest>(RpcHandler<TRequest> handler, ServerCall call, TRequest request)
    {
#if NET
        OuterContext outer = Enter();
        try
        {
            handler.Start(call, request);
        }
        finally
        {
            Leave(in outer);
        }
#else
        ExecutionContext.Run(
            s_clean.CreateCopy(),
            static state => ((HeldCall)state!).Run(),
            new HeldCall<TRequest>(handler, call, request, bytes: 0));
#endif
    }

    private static ExecutionContext Find()
    {
        ExecutionContext? found = null;
        var thread = new Thread(() => found = ExecutionContext.Capture(), 64 * 1024) { IsBackground = true };
        OwnThread.Start(thread);
        thread.Join();
        return found!;
    }

#if NET
    private static bool IsClean
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ReferenceEquals(ExecutionContext.Capture(), s_clean) && SynchronizationContext.Current is null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Clean()
    {
        ExecutionContext.Restore(s_clean);
        SynchronizationContext.SetSynchronizationContext(null);
    }
#else
    /// <summary>Looks like an asynchronous method to what starts it, and ends at once.</summary>
    private struct Scope<T> : IAsyncStateMachine
        where T : struct, IWork
    {
        public T Work;

        public void MoveNext() => Work.Run();

        public readonly void SetStateMachine(IAsyncStateMachine stateMachine)
        {
        }
    }
#endif
}
