using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// Two threads each store something and then look at what the other one has stored; one of them at least has to see it.
// That takes a full fence on both sides, between store and load. Where one side does this all the time and the other
// one hardly ever, the rare one can execute both: its own, and that of every thread of the process.

/// <summary>A fence whose price the side pays that seldom needs it. The accesses around it are volatile or
/// interlocked.</summary>
internal static class OneSidedFence
{
    /// <summary>Between store and load of the side that does this with every call: nothing, where <see cref="Rare"/>
    /// reaches all threads.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Frequent()
    {
#if !NET
        Interlocked.MemoryBarrier();
#endif
    }

    /// <summary>Between store and load of the side that is about to sleep or to end something.</summary>
    public static void Rare()
    {
#if NET
        Interlocked.MemoryBarrierProcessWide();
#else
        Interlocked.MemoryBarrier();
#endif
    }
}
