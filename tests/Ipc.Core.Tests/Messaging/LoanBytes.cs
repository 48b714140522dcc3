using System;

namespace Ipc.Core.Tests;

/// <summary>Messages whose bytes say which message it is, and a look at a ring's pool.</summary>
internal static unsafe class LoanBytes
{
    public static byte[] Message(int number, int length)
    {
        byte[] bytes = new byte[length];
        Fill(bytes, number);
        return bytes;
    }

    public static void Fill(Span<byte> bytes, int number)
    {
        uint state = (uint)number * 2654435761u + 1;
        for (int i = 0; i < bytes.Length; i++)
        {
            state = state * 1664525u + 1013904223u;
            bytes[i] = (byte)(state >> 24);
        }
    }

    public static bool Is(ReadOnlySpan<byte> bytes, int number, int length) =>
        bytes.Length == length && bytes.SequenceEqual(Message(number, length));

    public static PoolBlock* Block(RingEnd end, int @class, uint index) =>
        (PoolBlock*)(end.View.Base + end.Geometry.PoolOffset + PoolHeader.TableOffset) + end.Geometry.Pool!.Geometry.FirstBlock(@class) + index;

    /// <summary>How many blocks are in this phase.</summary>
    public static int Count(RingEnd end, uint phase)
    {
        PoolBlock* first = Block(end, 0, 0);
        int count = 0;
        for (uint block = 0; block < end.Geometry.Pool!.Geometry.Blocks; block++)
            count += PoolBlock.PhaseOf(first[block].State) == phase ? 1 : 0;
        return count;
    }

    public static int Count(RingEnd end) => Count(end, PoolBlock.Owned) + Count(end, PoolBlock.Published);
}
