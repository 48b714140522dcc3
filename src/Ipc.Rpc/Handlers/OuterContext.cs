using System.Threading;

namespace Ipc.Rpc;

/// <summary>What a thread of a caller had set when it began to run the code of others.</summary>
internal readonly struct OuterContext
{
    private readonly ExecutionContext? _context;
    private readonly SynchronizationContext? _scheduler;
    private readonly bool _suppressed; // its context does not flow

    private OuterContext(ExecutionContext? context, SynchronizationContext? scheduler, bool suppressed)
    {
        _context = context;
        _scheduler = scheduler;
        _suppressed = suppressed;
        IsAside = true;
    }

    /// <summary>Whether there was anything.</summary>
    public bool IsAside { get; }

#if NET
    /// <summary>Takes it from the thread.</summary>
    public static OuterContext LayAside(ExecutionContext clean)
    {
        bool suppressed = ExecutionContext.IsFlowSuppressed();
        if (suppressed)
            ExecutionContext.RestoreFlow(); // or it could not be captured
        var outer = new OuterContext(ExecutionContext.Capture(), SynchronizationContext.Current, suppressed);
        ExecutionContext.Restore(clean);
        SynchronizationContext.SetSynchronizationContext(null);
        return outer;
    }
#else
    /// <summary>Takes from the thread what can be taken.</summary>
    public static OuterContext LayAside()
    {
        var outer = new OuterContext(null, SynchronizationContext.Current, false);
        SynchronizationContext.SetSynchronizationContext(null);
        return outer;
    }
#endif

    /// <summary>Gives it back.</summary>
    public void PutBack()
    {
#if NET
        ExecutionContext.Restore(_context!);
        if (_suppressed)
            ExecutionContext.SuppressFlow();
#endif
        SynchronizationContext.SetSynchronizationContext(_scheduler);
    }
}
