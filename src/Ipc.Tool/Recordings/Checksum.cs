using System;

namespace Ipc.Tool;

/// <summary>CRC-32 as zip and PNG have it (polynomial 0xEDB88320, all ones before and after).</summary>
internal static class Checksum
{
    private static readonly uint[] s_table = Table();

    /// <summary>Goes on from the checksum of what stands before; 0 at the beginning.</summary>
    public static uint Add(uint before, ReadOnlySpan<byte> bytes)
    {
        uint sum = ~before;
        foreach (byte one in bytes)
            sum = s_table[(byte)(sum ^ one)] ^ (sum >> 8);
        return ~sum;
    }

    private static uint[] Table()
    {
        uint[] table = new uint[256];
        for (uint at = 0; at < table.Length; at++)
        {
            uint entry = at;
            for (int bit = 0; bit < 8; bit++)
                entry = (entry & 1) != 0 ? 0xEDB88320 ^ (entry >> 1) : entry >> 1;
            table[at] = entry;
        }

        return table;
    }
}
