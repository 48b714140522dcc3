using System.Threading;

namespace Ipc.Rpc;

/// <summary>Timers that know nothing of who needs them first.</summary>
internal static class CleanTimer
{
    /// <summary>Makes one; it has to be set. What flows with the code that makes it does
    /// not flow to what it calls, and is not kept by it.</summary>
    public static Timer Make(TimerCallback fire, object state)
    {
        if (ExecutionContext.IsFlowSuppressed())
            return new Timer(fire, state, Timeout.Infinite, Timeout.Infinite);
        using (ExecutionContext.SuppressFlow())
            return new Timer(fire, state, Timeout.Infinite, Timeout.Infinite);
    }
}
