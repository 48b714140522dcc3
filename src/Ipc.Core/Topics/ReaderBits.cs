using System.Runtime.CompilerServices;
#if NET8_0_OR_GREATER
using System.Numerics;
#endif

namespace Ipc;

/// <summary>The bitmap of a topic's readers: walked by its set bits, so that three readers cost three steps wherever
/// they are.</summary>
internal static unsafe class ReaderBits
{
    /// <summary>The first set bit at or after <paramref name="from"/> and before <paramref name="end"/>; -1 when there
    /// is none.</summary>
    public static int Next(ulong* words, int from, int end)
    {
        while (from < end)
        {
            ulong bits = Atomic.LoadAcquire(ref words[from >> 6]) >> (from & 63);
            if (bits != 0)
            {
                from += LowestOf(bits);
                return from < end ? from : -1;
            }

            from = (from | 63) + 1;
        }

        return -1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int LowestOf(ulong bits)
    {
#if NET8_0_OR_GREATER
        return BitOperations.TrailingZeroCount(bits);
#else
        int index = 0;
        while ((bits & 0xFF) == 0)
        {
            bits >>= 8;
            index += 8;
        }

        while ((bits & 1) == 0)
        {
            bits >>= 1;
            index++;
        }

        return index;
#endif
    }
}
