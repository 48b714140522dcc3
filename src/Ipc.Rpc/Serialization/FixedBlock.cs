using System;

namespace Ipc.Rpc;

/// <summary>Byte order of blocks of fixed-width numbers, for machines that are not little-endian.</summary>
internal static class FixedBlock
{
    /// <summary>Reverses each group of <paramref name="size"/> bytes in place.</summary>
    public static void Reverse(Span<byte> block, int size)
    {
        for (; block.Length >= size; block = block.Slice(size))
            block.Slice(0, size).Reverse();
    }
}
