using System;
using System.Buffers.Binary;

namespace Ipc.Peer;

/// <summary>Records that show by themselves what they are: u64 number, then bytes (number + i) &amp; 0xff.</summary>
internal static class Content
{
    public static void Fill(Span<byte> payload, ulong number)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(payload, number);
        for (int i = 8; i < payload.Length; i++)
            payload[i] = (byte)(number + (ulong)(i - 8));
    }

    /// <summary>What is wrong, or null.</summary>
    public static string? Check(ReadOnlySpan<byte> payload, ulong number)
    {
        if (payload.Length < 8)
            return $"a record of {payload.Length} bytes where number {number} was expected";
        ulong found = BinaryPrimitives.ReadUInt64LittleEndian(payload);
        if (found != number)
            return $"number {found} where {number} was expected";
        for (int i = 8; i < payload.Length; i++)
        {
            if (payload[i] != (byte)(number + (ulong)(i - 8)))
                return $"byte {i} of number {number} is {payload[i]}";
        }

        return null;
    }

    /// <summary>The next size; "random" is mostly small, now and then anything up to the largest.</summary>
    public static int NextSize(string size, int max, ref ulong seed)
    {
        if (size != "random")
            return int.Parse(size, System.Globalization.CultureInfo.InvariantCulture);
        seed = seed * 6364136223846793005 + 1442695040888963407;
        ulong limit = (seed >> 20) % 16 == 0 ? (ulong)max : Math.Min((ulong)max, 512);
        return 8 + (int)((seed >> 33) % (limit - 7));
    }
}
