#if NET
using System.Numerics;
#endif
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>Base-128 integers: seven bits a byte, least significant first, the top bit set on all but the
/// last.</summary>
/// <remarks>The <c>Put</c> functions write without a bounds check: the caller has made sure of <see cref="MaxSize"/>
/// bytes.</remarks>
internal static class Varint
{
    public const int MaxSize = 10;
    public const int MaxSize32 = 5;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Put(ref byte destination, uint value)
    {
        if (value >= 0x80)
            return PutLong(ref destination, value);

        destination = (byte)value;
        return 1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Put(ref byte destination, ulong value)
    {
        if (value >= 0x80)
            return PutLong(ref destination, value);

        destination = (byte)value;
        return 1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(uint value)
    {
#if NET
        // ceil(bits / 7) without a division: 9/64 is close enough to 1/7 for 1 to 64 bits.
        return ((BitOperations.Log2(value | 1) * 9) + 73) >> 6;
#else
        return Size((ulong)value);
#endif
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(ulong value)
    {
#if NET
        return ((BitOperations.Log2(value | 1) * 9) + 73) >> 6;
#else
        int size = 1;
        while ((value >>= 7) != 0)
            size++;
        return size;
#endif
    }

    /// <summary>Maps small negative numbers to small positive ones: 0, -1, 1, -2 to 0, 1, 2, 3.</summary>
    public static uint ZigZag(int value) => (uint)((value << 1) ^ (value >> 31));

    /// <inheritdoc cref="ZigZag(int)"/>
    public static ulong ZigZag(long value) => (ulong)((value << 1) ^ (value >> 63));

    /// <summary>The inverse of <see cref="ZigZag(int)"/>.</summary>
    public static int UnZigZag(uint value) => (int)(value >> 1) ^ -(int)(value & 1);

    /// <summary>The inverse of <see cref="ZigZag(long)"/>.</summary>
    public static long UnZigZag(ulong value) => (long)(value >> 1) ^ -(long)(value & 1);

    private static int PutLong(ref byte destination, uint value)
    {
        int size = 0;
        for (; value >= 0x80; value >>= 7)
            Unsafe.Add(ref destination, size++) = (byte)(value | 0x80);
        Unsafe.Add(ref destination, size) = (byte)value;
        return size + 1;
    }

    private static int PutLong(ref byte destination, ulong value)
    {
        int size = 0;
        for (; value >= 0x80; value >>= 7)
            Unsafe.Add(ref destination, size++) = (byte)(value | 0x80);
        Unsafe.Add(ref destination, size) = (byte)value;
        return size + 1;
    }
}
