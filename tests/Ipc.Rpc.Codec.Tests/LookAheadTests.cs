using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>What is read several bytes at a time gives what a byte at a time gives, wherever the payload ends.</summary>
public sealed class LookAheadTests
{
    public static readonly MatrixTheoryData<int, int> SizesAndTails = new(Enumerable.Range(1, 10), Enumerable.Range(0, 17));

    /// <summary>Whatever lies behind a varint, end of payload or other bytes, is not part of it.</summary>
    [Theory]
    [MemberData(nameof(SizesAndTails))]
    public void AVarintEndsWhereItEnds(int size, int tail)
    {
        foreach (ulong value in new[] { Least(size), Least(size) + 1, Most(size), Most(size) & 0x5555_5555_5555_5555 | Least(size) })
        {
            foreach (byte filler in new byte[] { 0x00, 0x7f, 0x80, 0xff })
            {
                byte[] bytes = [.. Varint(value), .. Enumerable.Repeat(filler, tail)];
                var reader = new ProtoReader(bytes);
                Assert.Equal(value, reader.ReadUInt64());
                Assert.Equal(size, reader.Position);
            }
        }
    }

    /// <summary>Zeros in front do not change a number: encoders may write them.</summary>
    [Theory]
    [InlineData("8000", 0UL)]
    [InlineData("808080808080808000", 0UL)]
    [InlineData("80808080808080808000", 0UL)]
    [InlineData("81808080808000", 1UL)]
    [InlineData("8180808080808000", 1UL)]
    public void AVarintMayBeLongerThanItNeeds(string hex, ulong value)
    {
        byte[] bytes = Convert.FromHexString(hex);
        var reader = new ProtoReader([.. bytes, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        Assert.Equal(value, reader.ReadUInt64());
        Assert.Equal(bytes.Length, reader.Position);
    }

    /// <summary>A varint does not reach beyond the message that it is in, though the payload goes on.</summary>
    [Fact]
    public void AVarintEndsWithItsMessage()
    {
        byte[] bytes = [2, 0x80, 0x80, 1, 1, 1, 1, 1, 1, 1, 1];
        ProtoException refused = Assert.Throws<ProtoException>(() =>
        {
            var reader = new ProtoReader(bytes);
            reader.StartPacked();
            reader.ReadUInt64();
        });
        Assert.Equal(ProtoError.Truncated, refused.Error);
    }

    [Theory]
    [InlineData(10u, 1)]
    [InlineData(10u, 126)]
    [InlineData(10u, 127)]
    [InlineData(10u, 128)]
    [InlineData(10u, 20_000)]
    [InlineData(130u, 5)] // a number above 15: its tag takes two bytes
    [InlineData(130u, 200)]
    public void ElementsAheadAreCounted(uint tag, int length)
    {
        foreach (int count in new[] { 1, 2, 7 })
        {
            Assert.Equal(count, CountOf(tag, Enumerable.Repeat(length, count), []));
            Assert.Equal(count, CountOf(tag, Enumerable.Repeat(length, count), [0x10, 0x01])); // another field behind them
        }
    }

    [Fact]
    public void ShortAndLongElementsAreCountedTogether()
        => Assert.Equal(6, CountOf(10, [3, 0, 200, 4, 500, 1], [0x10, 0x01]));

    /// <summary>A hint must not go wrong in a way that matters: never less than 1, never beyond the payload.</summary>
    [Theory]
    [InlineData("")]
    [InlineData("05")]
    [InlineData("FF")]
    [InlineData("000A")]
    [InlineData("000AFFFFFFFFFFFFFFFFFF01")]
    [InlineData("000A7F")]
    public void ElementsThatAreCutShortAreCountedAsFarAsTheyGo(string hex)
        => Assert.InRange(new ProtoReader(Convert.FromHexString(hex)).CountAhead(10), 0, 2);

    private static int CountOf(uint tag, IEnumerable<int> lengths, byte[] behind)
    {
        var place = new byte[200_000];
        var writer = new ProtoWriter(place, null);
        foreach (int length in lengths)
            writer.WriteBytes(tag, new byte[length]);
        var reader = new ProtoReader([.. place[..writer.Written], .. behind]);
        Assert.True(reader.TryReadTag(out uint read));
        Assert.Equal(tag, read);
        return reader.CountAhead(tag);
    }

    private static ulong Least(int size) => size == 1 ? 0 : 1UL << (7 * (size - 1));

    private static ulong Most(int size) => size == 10 ? ulong.MaxValue : (1UL << (7 * size)) - 1;

    private static byte[] Varint(ulong value)
    {
        var bytes = new List<byte>();
        for (; value >= 0x80; value >>= 7)
            bytes.Add((byte)(value | 0x80));
        bytes.Add((byte)value);
        return [.. bytes];
    }
}
