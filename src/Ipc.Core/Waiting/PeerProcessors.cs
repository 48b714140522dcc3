using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Does the other side run on the processor on which this side would spin for it? Twin of processors.h, where
/// the reasons stand.</summary>
internal readonly unsafe struct PeerProcessors
{
    private readonly uint* _here;
    private readonly uint* _there;

    /// <summary>The word in which this side says where it is, and the peer's. Hints: plain words without any
    /// order.</summary>
    public PeerProcessors(uint* here, uint* there)
    {
        _here = here;
        _there = there;
    }

    /// <summary>Says where this side is.</summary>
    [MethodImpl(Tiering.Optimized)]
    public uint Note()
    {
        uint here = Os.Current.Processor() + 1;
        if (Atomic.LoadAcquire(ref *_here) != here)
            Atomic.StoreRelease(ref *_here, here);
        return here;
    }

    /// <summary>Says where this side is, and whether the other side was last seen there.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool AreOne() => Atomic.LoadAcquire(ref *_there) == Note();
}
