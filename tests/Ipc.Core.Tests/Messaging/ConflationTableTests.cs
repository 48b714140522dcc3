using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>The table of a conflating reader against one that is plainly right.</summary>
public sealed class ConflationTableTests
{
    [Theory]
    [InlineData(3)]
    [InlineData(50)]
    [InlineData(5000)]
    public void ItDoesWhatAListDoes(int keys)
    {
        Random random = new(keys);
        ConflationTable table = new(4);
        List<(ulong Key, ulong Position, ulong Conflated)> plain = new();
        for (ulong position = 1; position < 40_000; position++)
        {
            ulong key = (ulong)random.Next(keys) << 32;
            int at = plain.FindIndex(row => row.Key == key);
            Assert.Equal(at >= 0, table.Put(key, position));
            if (at >= 0)
                plain[at] = (key, position, plain[at].Conflated + 1);
            else
                plain.Add((key, position, 0));

            for (int i = random.Next(3); i > 0 && plain.Count > 0; i--)
            {
                Assert.True(table.TryTake(out ulong taken, out ulong conflated));
                Assert.Equal((plain[0].Position, plain[0].Conflated), (taken, conflated));
                plain.RemoveAt(0);
            }

            if (random.Next(500) == 0)
                Assert.Equal(plain.RemoveAll(row => row.Position < position - 20), table.DropBefore(position - 20));
            Assert.Equal(plain.Count, table.Count);
        }

        foreach ((ulong _, ulong position, ulong _) in plain)
        {
            Assert.True(table.TryTake(out ulong taken, out _));
            Assert.Equal(position, taken);
        }

        Assert.False(table.TryTake(out _, out _));
        table.Put(1, 1);
        table.Clear();
        Assert.False(table.TryTake(out _, out _));
        Assert.False(table.Put(1, 2));
    }

    [Fact]
    public unsafe void BitsAreFoundWhereTheyAre()
    {
        ulong* words = stackalloc ulong[4];
        int[] set = { 0, 5, 63, 64, 127, 128, 200, 255 };
        foreach (int bit in set)
            words[bit >> 6] |= 1UL << (bit & 63);
        List<int> found = new();
        for (int bit = ReaderBits.Next(words, 0, 256); bit >= 0; bit = ReaderBits.Next(words, bit + 1, 256))
            found.Add(bit);
        Assert.Equal(set, found);
        Assert.Equal(-1, ReaderBits.Next(words, 201, 255));
        Assert.Equal(-1, ReaderBits.Next(words, 256, 256));
        Assert.Equal(200, ReaderBits.Next(words, 200, 201));
    }
}
