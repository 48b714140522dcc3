using System;
using System.Collections.Generic;
using System.Linq;
using Google.Protobuf;
using Ipc.Rpc.Codec.Tests.Contract;
using Ipc.Rpc.Codec.Tests.Generation;
using Ipc.Rpc.Codec.Tests.Reference;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>Bytes that no encoder here writes and the specification allows: they are read as protobuf reads them.</summary>
public sealed class LegalBytesTests
{
    private static readonly MessageCodec<Everything> _codec = CodecContractRpc.Echo.Request;
    private static readonly MessageCodec<Node> _node = CodecContractRpc.Walk.Request;

    [Theory]
    [InlineData("10FFFFFFFFFFFFFFFFFF7F", -1)] // what the tenth byte has beyond 64 bits does not count
    [InlineData("10FFFFFFFFFFFFFFFFFF02", -1)]
    [InlineData("1081808080808080808002", 1)]
    [InlineData("108780808010", 7)] // nor what an int32 has beyond 32
    [InlineData("908080800007", 7)] // a tag of five bytes
    [InlineData("908080801007", 7)] // and what that has beyond 32
    [InlineData("10071009", 9)] // the last one
    public void NumbersOfAnyLengthAreRead(string hex, int value) => Assert.Equal(value, _node.Decode(Convert.FromHexString(hex)).Value);

    [Theory]
    [InlineData("90808080800007")] // a tag of six bytes
    [InlineData("10FFFFFFFFFFFFFFFFFFFF01")] // a number of eleven
    public void LongerOnesAreNot(string hex)
        => Assert.Equal(ProtoError.VarintTooLong, Assert.Throws<ProtoException>(() => _node.Decode(Convert.FromHexString(hex))).Error);

    [Theory]
    [InlineData("1A030A0161" + "1A021007", "a", 7, 0)] // left.name, then left.value
    [InlineData("1A030A0161" + "1005" + "1A021007" + "1A030A0162", "b", 7, 0)] // other fields between, three pieces, the last name counts
    [InlineData("1A02" + "2200" + "1A00" + "1A04" + "22002200", "", 0, 3)] // lists are appended
    [InlineData("1A0A" + "1A030A0161" + "1A03100922" + "00", null, 0, 0)] // not well-formed: refused as a whole
    public void AMessageInPiecesIsMerged(string hex, string? name, int value, int children)
    {
        byte[] bytes = Convert.FromHexString(hex);
        if (name is null)
        {
            Assert.Throws<ProtoException>(() => _node.Decode(bytes));
            return;
        }

        Node left = _node.Decode(bytes).Left!;
        Assert.Equal((name, value, children), (left.Name, left.Value, left.Children.Count));
    }

    [Fact]
    public void PiecesWithinPiecesAreMerged()
    {
        // left { left { name a } left { value 7 } } left { left { children } value 3 }
        Node node = _node.Decode(Convert.FromHexString("1A09" + "1A030A0161" + "1A021007" + "1A06" + "1A022200" + "1003"));
        Assert.Equal(3, node.Left!.Value);
        Assert.Equal(("a", 7, 1), (node.Left.Left!.Name, node.Left.Left.Value, node.Left.Left.Children.Count));
    }

    [Fact]
    public void ValuesThatTravelAsMessagesAreMergedToo()
    {
        // Everything.well_known (3) { time (1) { seconds 1 } time { nanos 100 } }, then once more { time { seconds 2 } span (2) { nanos 200 } span { seconds 1 } }
        Everything all = _codec.Decode(Convert.FromHexString("1A08" + "0A020801" + "0A021064" + "1A0D" + "0A020802" + "120310C801" + "12020801"));
        Assert.Equal(DateTime.UnixEpoch.AddSeconds(2).AddTicks(1), all.WellKnown!.Time);
        Assert.Equal(TimeSpan.FromSeconds(1) + TimeSpan.FromTicks(2), all.WellKnown.Span);

        // maps.nodes (4): one entry whose value comes in two pieces, and point (7), a struct, in two, and maybe_point (8)
        all = _codec.Decode(Convert.FromHexString("2A0D" + "220B" + "0805" + "12030A0161" + "12021007" + "3A020801" + "3A021002" + "42020803" + "42021004"));
        Assert.Equal(("a", 7), (all.Maps!.Nodes[5].Name, all.Maps.Nodes[5].Value));
        Assert.Equal((new Point(1, 2), new Point(3, 4)), (all.Point, all.MaybePoint!.Value));
    }

    /// <summary>Every level in two pieces: what is thrown away and read again must not double at each of them.</summary>
    [Fact]
    public void PiecesWithinPiecesCostABoundedTime()
    {
        byte[] bytes = Convert.FromHexString("0A0161");
        for (int depth = 0; depth < 90; depth++)
            bytes = Field(0x1a, bytes).Concat(Field(0x1a, Convert.FromHexString("1007"))).ToArray();
        Node node = _node.Decode(bytes);
        for (int depth = 0; depth < 90; depth++)
        {
            Assert.True(node.Left is not null);
            node = node.Left;
        }

        Assert.Equal(("a", 7), (node.Name, node.Value));

        // A megabyte at the bottom: joining it at each level is refused before it takes long.
        bytes = Field(0x0a, Enumerable.Repeat((byte)'x', 1 << 20).ToArray()).ToArray();
        for (int depth = 0; depth < 99; depth++)
            bytes = Field(0x1a, bytes).Concat(Field(0x1a, Array.Empty<byte>())).ToArray();
        Assert.Equal(ProtoError.TooDeep, Assert.Throws<ProtoException>(() => _node.Decode(bytes)).Error);
    }

    /// <summary>A hundred thousand pieces of one message are searched for once, not once each.</summary>
    [Fact]
    public void ManyPiecesCostNoMoreThanTheirNumber()
    {
        byte[] bytes = Enumerable.Repeat(new byte[] { 0x1a, 0x02, 0x22, 0x00 }, 100_000).SelectMany(static b => b).ToArray();
        Assert.Equal(100_000, _node.Decode(bytes).Left!.Children.Count);
    }

    /// <summary>A piece of a day is none, wherever it stands: what makes it whole may come with another piece of a message around it.</summary>
    [Theory]
    [InlineData("6205" + "2A0308E80F" + "6206" + "2A0410021803")] // calendar (12) { day (5) { year 2024 } } calendar { day { month 2 day 3 } }
    [InlineData("6207" + "2A0308E80F" + "2A00" + "6208" + "2A021002" + "2A021803")] // two pieces in each
    [InlineData("6204" + "2A021863" + "6209" + "2A0708E80F10021803")] // a day 99 that is overwritten
    public void ADayInPiecesOfItsParentIsMerged(string hex)
        => Assert.Equal(new DateOnly(2024, 2, 3), _codec.Decode(Convert.FromHexString(hex)).Calendar!.Day);

    [Theory]
    [InlineData("6205" + "2A0308E80F")] // never whole
    [InlineData("6205" + "2A0308E80F" + "6206" + "320410021803")] // the other day is another field
    [InlineData("6205" + "2A0308E80F" + "6204" + "2A021002")] // two of three
    [InlineData("6205" + "2A0308E80F" + "6209" + "320708E80F10021803" + "6200")] // joined three times
    public void ADayThatIsNeverWholeIsRefused(string hex)
        => Assert.Equal(ProtoError.InvalidValue, Assert.Throws<ProtoException>(() => _codec.Decode(Convert.FromHexString(hex))).Error);

    [Fact]
    public void WhatProtobufAllowsIsReadAsProtobufReadsIt()
    {
        int rounds = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? 100_000 : 3_000;
        MessageParser<global::Codec.V1.Everything> parser = global::Codec.V1.Everything.Parser.WithDiscardUnknownFields(true);
        byte[][] seeds = Samples.All.Select(s => Encoded.Of(_codec, s.Message)).ToArray();
        var random = new Random(20261123);
        for (int round = 0; round < rounds; round++)
        {
            byte[] bytes = Rewriting.Of(seeds[round % seeds.Length], global::Codec.V1.Everything.Descriptor, random, alsoMapValues: false);
            global::Codec.V1.Everything theirs = parser.ParseFrom(bytes);
            Everything ours;
            try
            {
                ours = _codec.Decode(bytes);
            }
            catch (ProtoException exception)
            {
                Assert.Fail($"round {round}: refused as {exception.Error} at {exception.Offset}: {Convert.ToHexString(bytes)}");
                return;
            }

            Assert.True(theirs.Equals(ToGoogle.Convert(ours)), $"round {round}: read as another message: {Convert.ToHexString(bytes)}");
        }
    }

    private static IEnumerable<byte> Field(byte tag, byte[] content)
    {
        yield return tag;
        uint length = (uint)content.Length;
        for (; length >= 0x80; length >>= 7)
            yield return (byte)(length | 0x80);
        yield return (byte)length;
        foreach (byte one in content)
            yield return one;
    }
}
