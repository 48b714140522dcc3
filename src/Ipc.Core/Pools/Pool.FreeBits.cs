using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>A bit for each block that is probably free.</summary>
/// <remarks>They only say where to look first: the truth is in the blocks. A block that is taken keeps its bit, and who
/// meets it there takes the bit away; so a block that goes back and forth costs no change of the bits at all. A bit
/// that is missing (its block was freed by somebody who died, or on a machine that reorders, in the moment in which
/// another one took the bit away) is found when nothing else is to be had.</remarks>
internal sealed unsafe partial class Pool
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong* FreeWord(int @class, uint index) =>
        (ulong*)(_base + PoolHeader.FreeOffset) + @class * PoolHeader.FreeWords + index / 64;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsNoted(int @class, uint index) =>
        (Atomic.LoadAcquire(ref *FreeWord(@class, index)) >> (int)(index % 64) & 1) != 0;

    private bool IsFree(int @class, uint index) =>
        PoolBlock.PhaseOf(Atomic.LoadAcquire(ref Block(@class, index)->State)) == PoolBlock.Free;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void NoteFree(int @class, uint index)
    {
        if (!IsNoted(@class, index))
            Atomic.TryOr(FreeWord(@class, index), 1UL << (int)(index % 64));
    }

    private void Forget(int @class, uint index)
    {
        Atomic.TryAnd(FreeWord(@class, index), ~(1UL << (int)(index % 64)));
        if (IsFree(@class, index))
            NoteFree(@class, index); // it has become so meanwhile, and who freed it may have seen the bit
    }

    /// <summary>Notes what is free and was not noted.</summary>
    /// <returns>Whether there was any.</returns>
    private bool NoteAll()
    {
        bool found = false;
        for (int @class = 0; @class < _geometry.Classes; @class++)
        {
            for (uint index = 0; index < _counts[@class]; index++)
            {
                if (IsNoted(@class, index) || !IsFree(@class, index))
                    continue;
                NoteFree(@class, index);
                found = true;
            }
        }

        return found;
    }
}
