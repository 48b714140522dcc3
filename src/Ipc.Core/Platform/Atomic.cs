using System.Runtime.CompilerServices;
using System.Threading;

#pragma warning disable RS0030 // banned everywhere else, so that every ordering of the library is one of these words

namespace Ipc;

/// <summary>The ordering words: the only file that uses <see cref="Volatile"/> and <see cref="Interlocked"/>. Twin of
/// atomic.h.</summary>
/// <remarks>
/// Acquire: nothing after the load is done before it. Release: nothing before the store is done after it. The
/// read-modify-writes and <see cref="Fence"/> are full barriers. Two accesses of this class are never exchanged by the
/// compiler, which is what the asymmetric fence of docs/memory-ordering.md asks of a publisher: its release store of a
/// header, then its acquire load of the sleeper's flag. They serve shared memory and managed fields alike. 64-bit
/// accesses are single also in a 32-bit process.
/// </remarks>
internal static class Atomic
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int LoadAcquire(ref int location) => Volatile.Read(ref location);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint LoadAcquire(ref uint location) => Volatile.Read(ref location);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong LoadAcquire(ref ulong location) => Volatile.Read(ref location);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StoreRelease(ref int location, int value) => Volatile.Write(ref location, value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StoreRelease(ref uint location, uint value) => Volatile.Write(ref location, value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StoreRelease(ref ulong location, ulong value) => Volatile.Write(ref location, value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Fence() => Interlocked.MemoryBarrier();

    /// <summary>No load that follows is done before any load that precedes. Nothing at all on processors whose loads
    /// are in order.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void FenceLoads()
    {
#if NET10_0_OR_GREATER
        Volatile.ReadBarrier();
#else
        Interlocked.MemoryBarrier();
#endif
    }

    /// <summary>A full barrier in every thread of this process that runs; false where there is no such thing.</summary>
    public static bool TryFenceProcess()
    {
#if NET8_0_OR_GREATER
        Interlocked.MemoryBarrierProcessWide();
        return true;
#else
        return Os.Current.TryFenceThisProcess();
#endif
    }

    public static int Increment(ref int location) => Interlocked.Increment(ref location);

    public static int Decrement(ref int location) => Interlocked.Decrement(ref location);

    /// <summary>Of a reference, for the threads of this process.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T LoadAcquire<T>(ref T location)
        where T : class? => Volatile.Read(ref location);

    public static T Exchange<T>(ref T location, T value)
        where T : class? => Interlocked.Exchange(ref location, value);

    public static int Exchange(ref int location, int value) => Interlocked.Exchange(ref location, value);

    public static int CompareExchange(ref int location, int value, int expected) =>
        Interlocked.CompareExchange(ref location, value, expected);

    public static unsafe ulong Exchange(ulong* location, ulong value) =>
        (ulong)Interlocked.Exchange(ref *(long*)location, (long)value);

    /// <summary>Stores <paramref name="value"/> if the word is <paramref name="expected"/>.</summary>
    public static unsafe bool TryExchange(uint* location, uint expected, uint value) =>
        Interlocked.CompareExchange(ref *(int*)location, (int)value, (int)expected) == (int)expected;

    /// <summary>Stores <paramref name="value"/> if the word is <paramref name="expected"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryExchange(ulong* location, ulong expected, ulong value) =>
        Interlocked.CompareExchange(ref *(long*)location, (long)value, (long)expected) == (long)expected;

    public static unsafe ulong Add(ulong* location, ulong value) =>
        (ulong)Interlocked.Add(ref *(long*)location, (long)value);

    /// <summary>Sets bits. Gives up after many lost races, which only a hostile peer can arrange: the caller's loop
    /// looks again.</summary>
    public static unsafe bool TryOr(uint* location, uint bits)
    {
        for (int attempt = 0; attempt < 1000; attempt++)
        {
            uint seen = Volatile.Read(ref *location);
            if (TryExchange(location, seen, seen | bits))
                return true;
        }

        return false;
    }

    /// <summary>Keeps only these bits of a 64-bit word; see <see cref="TryOr(uint*, uint)"/>.</summary>
    public static unsafe bool TryAnd(ulong* location, ulong bits)
    {
        for (int attempt = 0; attempt < 1000; attempt++)
        {
            long seen = Volatile.Read(ref *(long*)location);
            if (Interlocked.CompareExchange(ref *(long*)location, seen & (long)bits, seen) == seen)
                return true;
        }

        return false;
    }

    /// <summary>Sets bits of a 64-bit word; see <see cref="TryOr(uint*, uint)"/>.</summary>
    public static unsafe bool TryOr(ulong* location, ulong bits)
    {
        for (int attempt = 0; attempt < 1000; attempt++)
        {
            long seen = Volatile.Read(ref *(long*)location);
            if (Interlocked.CompareExchange(ref *(long*)location, seen | (long)bits, seen) == seen)
                return true;
        }

        return false;
    }
}
