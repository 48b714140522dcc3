using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>After a burst a pool becomes small again by itself. Twin of pool_shrink.c; docs/wire-format.md section
/// 11.</summary>
/// <remarks>
/// <para>
/// A sender counts what it sends, of any length, in windows. Blocks are taken from 0 up, so per class one number says
/// which ones a window needed: those before it. At the end of a window the blocks behind it that the sender had taken
/// earlier, and that are free by now, give their pages back to the system, the longest first, until no more than a
/// small rest is left: giving back and getting again costs more than that is worth. A block that somebody still reads
/// is looked at again at the end of the next window.
/// </para>
/// <para>The numbers are the sender's own and never shared. They are hints, also between threads: what may be taken is
/// decided by the block's state.</para>
/// </remarks>
internal sealed unsafe partial class Pool
{
    /// <summary>A window, in bytes of a ring, or half the ring if that is more.</summary>
    public const ulong WindowBytes = 65536;

    private const ulong WindowMessages = 1024;
    private const ulong SparePages = 256; // 1 MiB

    private readonly uint[] _used; // in this window, by class: the highest block's number + 1
    private readonly uint[] _held; // the same of what may have pages, which we may have given it
    private bool _holds;           // there is such a block
    private ulong _passed;         // messages of this window

    /// <summary>This sender has sent so many messages, of any length: a window may be over. Once in a lap of a queue or
    /// topic.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Pass(uint owner, ulong messages)
    {
        _passed += messages;
        if (_passed < WindowMessages)
            return;
        _passed = 0;
        EndWindow(owner);
    }

    /// <summary>The window ends: free blocks that it did not need give their pages back, but for a small
    /// rest.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void EndWindow(uint owner)
    {
        if (!_holds)
            return;
        _holds = false;
        ulong spare = SpareOfWindow();
        for (int @class = _held.Length - 1; @class >= 0; @class--)
        {
            uint last = _used[@class], held = _held[@class];
            for (uint index = last; index < held; index++)
            {
                ulong claimed = Claimed(Block(@class, index), @class);
                if (claimed == 0)
                    continue;
                if (spare > SparePages && TryTakePages(@class, index, owner))
                    spare -= Math.Min(spare, claimed);
                else
                    last = index + 1;
            }

            _held[@class] = last;
            _used[@class] = 0;
            _holds |= last != 0;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void NoteUse(int @class, uint index)
    {
        _used[@class] = index + 1;
        _held[@class] = Math.Max(_held[@class], index + 1);
        _holds = true;
    }

    /// <summary>Pages of the free blocks that the window did not need.</summary>
    private ulong SpareOfWindow()
    {
        ulong spare = 0;
        for (int @class = 0; @class < _held.Length; @class++)
        {
            for (uint index = _used[@class]; index < _held[@class]; index++)
                spare += IsFree(@class, index) ? Claimed(Block(@class, index), @class) : 0;
        }

        return spare;
    }
}
