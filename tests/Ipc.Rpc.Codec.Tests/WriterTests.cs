using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Rpc.Codec.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>What is written where there is little room, and what is refused.</summary>
public sealed class WriterTests
{
    private static readonly MessageCodec<Everything> _codec = CodecContractRpc.Echo.Request;
    private static readonly MessageCodec<Node> _node = CodecContractRpc.Walk.Request;

    [Fact]
    public void ADestinationOfTheExactSizeIsEnoughAndAnySmallerOneIsRefused()
    {
        foreach ((string name, Everything message) in Samples.All)
        {
            byte[] expected = Encoded.Of(_codec, message);
            var exact = new byte[expected.Length];
            Assert.Equal(expected.Length, _codec.Encode(message, exact));
            Assert.Equal(expected, exact);

            for (int size = 0; size < expected.Length; size++)
            {
                ProtoException exception = Assert.Throws<ProtoException>(() => _codec.Encode(message, new byte[size]));
                Assert.True(exception.Error == ProtoError.DestinationTooSmall, name + " in " + size);
            }
        }
    }

    [Fact]
    public void TheBytesDoNotDependOnWhereTheSpanEnds()
    {
        foreach ((_, Everything message) in Samples.All)
        {
            byte[] expected = Encoded.Of(_codec, message);
            for (int initial = 1; initial < expected.Length + 200; initial += 7)
                Assert.Equal(expected, Encoded.Of(_codec, message, initial));
        }
    }

    [Fact]
    public void LengthPrefixesAreMinimalWhateverTheNeighboursWere()
    {
        // Sizes that jump over the borders of one, two and three bytes, both ways: every guess is wrong at once.
        int[] sizes = { 1, 126, 127, 128, 1, 16382, 16383, 16384, 3, 200, 20000, 0, 127 };
        var node = new Node("", null, 0, sizes.Select(static s => new Node(new string('x', s), null, 0, Array.Empty<Node>())).ToArray());
        var google = new global::Codec.V1.Node();
        google.Children.AddRange(sizes.Select(static s => new global::Codec.V1.Node { Name = new string('x', s) }));
        Assert.Equal(Google.Protobuf.MessageExtensions.ToByteArray(google), Encoded.Of(_node, node));
    }

    [Fact]
    public void NegativeZeroKeepsItsSign()
    {
        var message = new Everything { Scalars = new Scalars { Double = -0.0, Float = -0.0f } };
        Scalars back = _codec.Decode(Encoded.Of(_codec, message)).Scalars!;
        Assert.True(double.IsNegative(back.Double));
        Assert.True(float.IsNegative(back.Float));
    }

    [Fact]
    public void LocalTimeIsRefusedAndUnspecifiedTimeIsTakenAsUtc()
    {
        var utc = new DateTime(2024, 6, 1, 12, 0, 0, DateTimeKind.Utc);
        Assert.Equal(ProtoError.InvalidValue, Assert.Throws<ProtoException>(() => Time(DateTime.SpecifyKind(utc, DateTimeKind.Local))).Error);
        Assert.Equal(ProtoError.InvalidValue, Assert.Throws<ProtoException>(() => Encoded.Of(_codec, new Everything { WellKnown = new WellKnown { Times = { utc, utc.ToLocalTime() } } })).Error);
        Assert.Equal(utc, Time(DateTime.SpecifyKind(utc, DateTimeKind.Unspecified)));
        Assert.Equal(DateTimeKind.Utc, Time(utc).Kind);

        static DateTime Time(DateTime value) => _codec.Decode(Encoded.Of(_codec, new Everything { WellKnown = new WellKnown { Time = value } })).WellKnown!.Time;
    }

    [Theory] // numbers, because an attribute cannot hold such a string
    [InlineData("", 0xD800, "")]
    [InlineData("a", 0xDC00, "")]
    [InlineData("a string that is longer than the short ones that take the quick way", 0xD83D, " and more")]
    public void HalfASurrogatePairIsRefused(string before, int half, string after)
    {
        string text = before + (char)half + after;
        var node = new Node(text, null, 0, Array.Empty<Node>());
        Assert.Equal(ProtoError.InvalidText, Assert.Throws<ProtoException>(() => _node.Encode(node, new byte[1000])).Error);
        Assert.Equal(ProtoError.InvalidText, Assert.Throws<ProtoException>(() => Encoded.Of(_node, node)).Error);
    }

    [Fact]
    public void ANullThatProtobufCannotExpressIsRefused()
    {
        Assert.Equal(ProtoError.NullElement, Assert.Throws<ProtoException>(() => Encoded.Of(_node, null!)).Error);
        var lists = new Lists { Nodes = new List<Node> { null! } };
        Assert.Contains("Lists.Nodes", Assert.Throws<ProtoException>(() => Encoded.Of(_codec, new Everything { Lists = lists })).Message, StringComparison.Ordinal);
        var maps = new Maps { Names = new Dictionary<int, string> { [1] = null! } };
        Assert.Contains("Maps.Names", Assert.Throws<ProtoException>(() => Encoded.Of(_codec, new Everything { Maps = maps })).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ANullCollectionOrTextIsWrittenLikeAnEmptyOne()
    {
        var lists = new Lists { Ints = null!, Nodes = null!, Doubles = null! };
        Assert.Equal("22003A004A00", Convert.ToHexString(Encoded.Of(_codec, new Everything { Lists = lists })));
        Assert.Empty(Encoded.Of(_node, new Node(null!, null, 0, null!)));
    }

    [Fact]
    public void AMessageThatContainsItselfIsRefused()
    {
        var children = new List<Node>();
        var node = new Node("cycle", null, 1, children);
        children.Add(node);
        Assert.Equal(ProtoError.TooDeep, Assert.Throws<ProtoException>(() => Encoded.Of(_node, node)).Error);

        Assert.Equal(Encoded.Of(_node, Samples.Chain(100)), Encoded.Of(_node, _node.Decode(Encoded.Of(_node, Samples.Chain(100)))));
        Assert.Equal(ProtoError.TooDeep, Assert.Throws<ProtoException>(() => Encoded.Of(_node, Samples.Chain(101))).Error);
    }

    [Fact]
    public void ATargetThatGivesTooLittleIsFoundOut()
    {
        ProtoException exception = Assert.Throws<ProtoException>(() =>
        {
            var writer = new ProtoWriter(default, new Cheat());
            writer.WriteInt32(8, 1);
        });
        Assert.Equal(ProtoError.DestinationTooSmall, exception.Error);
    }

    [Fact]
    public void TheErrorOfATargetPassesThrough()
        => Assert.Throws<NotSupportedException>(() =>
        {
            var writer = new ProtoWriter(default, new Refusal());
            writer.WriteString(10, "text");
        });

    private sealed class Cheat : IPayloadTarget
    {
        public Span<byte> Grow(int written, int needed) => new byte[written + needed - 1];
    }

    private sealed class Refusal : IPayloadTarget
    {
        public Span<byte> Grow(int written, int needed) => throw new NotSupportedException();
    }
}
