using System.Globalization;

namespace Ipc;

/// <summary>What the kernel objects of one waiter are called: made from the region's id, which only its users can
/// read.</summary>
internal readonly struct WindowsNames
{
    private readonly ulong _low;
    private readonly ulong _high;
    private readonly ulong _offset;

    public WindowsNames(ulong low, ulong high, ulong offset)
    {
        _low = low;
        _high = high;
        _offset = offset;
    }

    /// <summary>The event that the owner of a place sleeps at.</summary>
    public string EventOf(int place) => NameOf(2 * (ulong)place);

    /// <summary>What exists as long as the place has an owner.</summary>
    public string MarkOf(int place) => NameOf(2 * (ulong)place + 1);

    /// <summary>SipHash-2-4 of two words.</summary>
    public static ulong Hash(ulong keyLow, ulong keyHigh, ulong first, ulong second)
    {
        ulong a = 0x736F6D6570736575 ^ keyLow, b = 0x646F72616E646F6D ^ keyHigh;
        ulong c = 0x6C7967656E657261 ^ keyLow, d = 0x7465646279746573 ^ keyHigh;
        const ulong End = 16UL << 56; // the length, and no bytes beyond the words
        Absorb(ref a, ref b, ref c, ref d, first);
        Absorb(ref a, ref b, ref c, ref d, second);
        Absorb(ref a, ref b, ref c, ref d, End);
        c ^= 0xFF;
        for (int round = 0; round < 4; round++)
            Mix(ref a, ref b, ref c, ref d);
        return a ^ b ^ c ^ d;
    }

    private string NameOf(ulong number) =>
        @"Global\ipc-" + Hash(_low, _high, _offset, number).ToString("x16", CultureInfo.InvariantCulture);

    private static void Absorb(ref ulong a, ref ulong b, ref ulong c, ref ulong d, ulong word)
    {
        d ^= word;
        Mix(ref a, ref b, ref c, ref d);
        Mix(ref a, ref b, ref c, ref d);
        a ^= word;
    }

    private static void Mix(ref ulong a, ref ulong b, ref ulong c, ref ulong d)
    {
        a += b;
        b = Rotate(b, 13) ^ a;
        a = Rotate(a, 32);
        c += d;
        d = Rotate(d, 16) ^ c;
        a += d;
        d = Rotate(d, 21) ^ a;
        c += b;
        b = Rotate(b, 17) ^ c;
        c = Rotate(c, 32);
    }

    private static ulong Rotate(ulong word, int bits) => word << bits | word >> (64 - bits);
}
