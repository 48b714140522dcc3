using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Rpc.Codec.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>Bytes by hand: what is read, what is skipped, what is refused with which reason and place.</summary>
public sealed class ReaderTests
{
    private static readonly MessageCodec<Everything> _codec = CodecContractRpc.Echo.Request;
    private static readonly MessageCodec<Node> _node = CodecContractRpc.Walk.Request;

    [Theory]
    [InlineData("08", ProtoError.Truncated, 1)] // a tag without its value
    [InlineData("0880", ProtoError.Truncated, 1)] // a varint that goes on
    [InlineData("0A05616263", ProtoError.Truncated, 2)] // a string longer than the payload
    [InlineData("0AFFFFFFFFFFFFFFFFFF01", ProtoError.Truncated, 11)] // a length of 2^64 - 1
    [InlineData("0AFFFFFFFF07", ProtoError.Truncated, 6)] // a length of 2^31 - 1
    [InlineData("10FFFFFFFFFFFFFFFFFFFF01", ProtoError.VarintTooLong, 1)] // eleven bytes
    [InlineData("808080808001", ProtoError.VarintTooLong, 0)] // a tag of six bytes
    [InlineData("8080808010", ProtoError.InvalidTag, 0)] // field number 0, but for a bit that does not count
    [InlineData("00", ProtoError.InvalidTag, 0)] // field number 0
    [InlineData("8000", ProtoError.InvalidTag, 0)] // the same in two bytes
    [InlineData("7C", ProtoError.InvalidTag, 1)] // the end of a group that has not begun
    [InlineData("7B84017C", ProtoError.InvalidTag, 3)] // a group ended by another number
    [InlineData("7B", ProtoError.Truncated, 1)] // a group without end
    [InlineData("7E", ProtoError.InvalidWireType, 1)]
    [InlineData("7F", ProtoError.InvalidWireType, 1)]
    [InlineData("0A01FF", ProtoError.InvalidText, 1)]
    [InlineData("0A02C080", ProtoError.InvalidText, 1)] // overlong
    [InlineData("0A03EDA080", ProtoError.InvalidText, 1)] // half a surrogate pair
    [InlineData("0A02E282", ProtoError.InvalidText, 1)] // cut inside a character
    [InlineData("7D000000", ProtoError.Truncated, 1)]
    [InlineData("7900000000000000", ProtoError.Truncated, 1)]
    public void MalformedBytesAreRefusedWithReasonAndPlace(string hex, ProtoError error, int offset)
    {
        var exception = Assert.Throws<ProtoException>(() => _node.Decode(Convert.FromHexString(hex)));
        Assert.Equal((error, offset), (exception.Error, exception.Offset));
    }

    [Fact]
    public void BytesAreReadWhereTheyAre()
    {
        byte[] payload = Convert.FromHexString("0A0361626310070A00");
        ProtoReader reader = new(payload);
        Assert.True(reader.TryReadTag(out uint tag));
        Assert.Equal(10u, tag);
        Assert.True(reader.ReadBytesInPlace() == payload.AsSpan(2, 3));
        Assert.True(reader.TryReadTag(out tag));
        reader.SkipField(tag);
        Assert.True(reader.TryReadTag(out tag));
        Assert.True(reader.ReadBytesInPlace().IsEmpty);
        Assert.False(reader.TryReadTag(out _));
    }

    [Theory]
    [InlineData("0A05616263", 2)]
    [InlineData("0AFFFFFFFF07", 6)]
    public void BytesInPlaceDoNotReachBeyondTheMessage(string hex, int offset)
    {
        var exception = Assert.Throws<ProtoException>(() =>
        {
            ProtoReader reader = new(Convert.FromHexString(hex));
            reader.TryReadTag(out _);
            reader.ReadBytesInPlace();
        });
        Assert.Equal((ProtoError.Truncated, offset), (exception.Error, exception.Offset));
    }

    [Fact]
    public void LongInvalidTextIsRefusedToo()
    {
        byte[] text = Enumerable.Repeat((byte)'a', 300).ToArray();
        text[299] = 0xff;
        var exception = Assert.Throws<ProtoException>(() => _node.Decode(new byte[] { 0x0a, 0xac, 0x02 }.Concat(text).ToArray()));
        Assert.Equal(ProtoError.InvalidText, exception.Error);
    }

    [Theory]
    [InlineData("7805")] // varint
    [InlineData("7DAABBCCDD")] // 32 bits
    [InlineData("790102030405060708")] // 64 bits
    [InlineData("7A03010203")] // bytes
    [InlineData("7B08057A01007C")] // a group
    [InlineData("7B7B7C7C")] // a group in a group
    [InlineData("FAFFFFFF0F00")] // the largest number
    [InlineData("0801")] // a known number with another wire type
    public void UnknownFieldsAreSkipped(string hex)
    {
        byte[] before = Convert.FromHexString("0A0161");
        byte[] after = Convert.FromHexString("1007");
        Node node = _node.Decode(before.Concat(Convert.FromHexString(hex)).Concat(after).ToArray());
        Assert.Equal(("a", 7), (node.Name, node.Value));
    }

    [Fact]
    public void VarintsNeedNotBeMinimal() => Assert.Equal(1, _node.Decode(Convert.FromHexString("90008180808000")).Value);

    [Fact]
    public void AListMayBePackedOrNotOrBothInPieces()
    {
        // lists.ints: 1 unpacked, then 2 and 3 packed, an empty piece, 300 unpacked
        Lists lists = List("1001" + "12020203" + "1200" + "10AC02");
        Assert.Equal(new[] { 1, 2, 3, 300 }, lists.Ints);

        // lists.doubles: packed, then one unpacked
        lists = List("4A08000000000000F03F" + "490000000000000040");
        Assert.Equal(new[] { 1.0, 2.0 }, lists.Doubles);

        var exception = Assert.Throws<ProtoException>(() => List("4A0700000000000000"));
        Assert.Equal(ProtoError.Truncated, exception.Error);
    }

    [Fact]
    public void ElementsOfOneListMayBeScattered()
    {
        Lists lists = List("5A0161" + "0A0101" + "5A0162" + "5A0163");
        Assert.Equal(new[] { "a", "b", "c" }, lists.Texts);
        Assert.Equal(new[] { true }, lists.Flags);
    }

    [Fact]
    public void AnAbsentValueIsItsDefault()
    {
        Everything empty = _codec.Decode(default);
        Assert.Null(empty.Scalars);
        Assert.Null(empty.MaybePoint);

        Lists lists = List("");
        Assert.Empty(lists.Ints);
        Assert.Empty(lists.UInts);
        Assert.Null(lists.MaybeInts);
        Node node = _node.Decode(default);
        Assert.Equal("", node.Name);
        Assert.Empty(node.Children);
    }

    [Fact]
    public void AnAbsentKeyOrValueOfAMapIsItsDefault()
    {
        Maps maps = _codec.Decode(Convert.FromHexString("2A04" + "0A00" + "2200")).Maps!;
        Assert.Equal("", maps.Names[0]);
        Assert.Equal("", maps.Nodes[0].Name);
    }

    [Fact]
    public void AnAbsentTimestampOfAMapIsTheEmptyTimestamp()
    {
        // Found by comparing with C++: it read as the year 1, which is what an absent field is, but no value of a map is absent.
        WellKnown wellKnown = _codec.Decode(Convert.FromHexString("1A05" + "6A03" + "0A0161")).WellKnown!;
        Assert.Equal(DateTime.UnixEpoch, wellKnown.TimeOf["a"]);
        Assert.Equal(DateTimeKind.Utc, wellKnown.TimeOf["a"].Kind);
    }

    [Fact]
    public void TheLastOfTwoEqualKeysWins()
    {
        Maps maps = _codec.Decode(Convert.FromHexString("2A0E" + "0A050801120161" + "0A050801120162")).Maps!;
        Assert.Equal(new Dictionary<int, string> { [1] = "b" }, maps.Names);
    }

    [Fact]
    public void ANumberThatDoesNotFitItsTypeIsRefused()
    {
        foreach (string hex in new[] { "30808004", "38808004", "408002", "488001", "800180" + "02", "48FEFEFFFFFFFFFFFFFF01" })
        {
            byte[] fields = Convert.FromHexString(hex);
            byte[] bytes = new byte[] { 0x0a, (byte)fields.Length }.Concat(fields).ToArray();
            var exception = Assert.Throws<ProtoException>(() => _codec.Decode(bytes));
            Assert.Equal(ProtoError.InvalidValue, exception.Error);
        }
    }

    [Theory]
    [InlineData("0A0B08FFFFFFFFFFFFFFFFFF01" + "1001", null)] // -1 s and 1 ns is a time before 1970
    [InlineData("0A061080" + "94EBDC03", "a second of nanoseconds")]
    [InlineData("0A0B10FFFFFFFFFFFFFFFFFF01", "negative nanoseconds")]
    [InlineData("0A0708808090A0B00D", "a year far away")]
    [InlineData("120708" + "FFFFFFFFFF7F", "a duration of a million years")]
    [InlineData("120D0801" + "10FFFFFFFFFFFFFFFFFF01", "two signs")]
    [InlineData("1A0161", "not a Guid")]
    [InlineData("1A2730303030303030302D303030302D303030302D303030302D303030303030303030303030" + "202020", "spaces after a Guid")]
    [InlineData("220178", "not a number")]
    [InlineData("2203312078", "a number and more")]
    public void AValueThatItsTypeCannotHoldIsRefused(string hex, string? reason)
    {
        byte[] fields = Convert.FromHexString(hex);
        byte[] bytes = new byte[] { 0x1a, (byte)fields.Length }.Concat(fields).ToArray();
        Exception? exception = Record.Exception(() => _codec.Decode(bytes));
        if (reason is null)
            Assert.Null(exception);
        else
            Assert.Equal(ProtoError.InvalidValue, Assert.IsType<ProtoException>(exception).Error);
    }

    [Fact]
    public void AHundredMessagesMayBeNestedAndNoMore()
    {
        Assert.Equal(99, _node.Decode(Nested(100)).Value);
        var exception = Assert.Throws<ProtoException>(() => _node.Decode(Nested(101)));
        Assert.Equal(ProtoError.TooDeep, exception.Error);
        exception = Assert.Throws<ProtoException>(() => _node.Decode(Enumerable.Repeat((byte)0x7b, 100_000).ToArray()));
        Assert.Equal(ProtoError.TooDeep, exception.Error);
    }

    [Fact]
    public void AnEmptyMessageSkipsWhateverComes()
        => Assert.Equal(default, RpcEmpty.Codec.Decode(Convert.FromHexString("08017A0100")));

    /// <summary>Node bytes: <c>left</c> so many deep, the outermost with its depth as value.</summary>
    private static byte[] Nested(int depth)
    {
        byte[] bytes = Array.Empty<byte>();
        for (int i = 0; i < depth; i++)
        {
            var next = new List<byte> { 0x10, (byte)i, 0x1a };
            if (bytes.Length > 127)
                next.Add((byte)((bytes.Length & 127) | 128));
            next.Add((byte)(bytes.Length > 127 ? bytes.Length >> 7 : bytes.Length));
            bytes = next.Concat(bytes).ToArray();
        }

        return bytes;
    }

    private static Lists List(string hex)
    {
        byte[] fields = Convert.FromHexString(hex);
        return _codec.Decode(new byte[] { 0x22, (byte)fields.Length }.Concat(fields).ToArray()).Lists!;
    }
}
