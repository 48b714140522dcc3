using System.Threading;

namespace Ipc;

/// <summary>Starts the threads of this library: they serve everybody, so they inherit nothing from whoever happens to
/// need them first.</summary>
/// <remarks>Ipc.Rpc compiles this file, too.</remarks>
internal static class OwnThread
{
    public static void Start(Thread thread)
    {
#if NET
        thread.UnsafeStart();
#else
        if (ExecutionContext.IsFlowSuppressed())
        {
            thread.Start();
            return;
        }

        using (ExecutionContext.SuppressFlow())
            thread.Start();
#endif
    }
}
