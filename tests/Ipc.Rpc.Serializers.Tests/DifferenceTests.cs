using System;
using Ipc.Rpc.Serializers.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>Where the three do not agree, as docs/guide/serializers.md says it.</summary>
public sealed class DifferenceTests
{
    private static readonly DateTime _noon = new(2024, 6, 1, 12, 0, 0, DateTimeKind.Utc);

    [Fact]
    public void ALocalTimeIsRefusedOrConvertedOrTakenForUtc()
    {
        var order = new Order { Placed = DateTime.SpecifyKind(_noon, DateTimeKind.Local) };
        Assert.Throws<ProtoException>(() => Back(null, order));
        Assert.Equal(_noon, Back(new ProtobufNetIpcSerializer(), order).Placed);
        Assert.Equal(order.Placed.ToUniversalTime(), Back(new MessagePackIpcSerializer(), order).Placed);
    }

    [Fact]
    public void AnEmptyListThatMayBeNullArrivesAsNullByTheGeneratedCodecAlone()
    {
        var choice = new Choice { Codes = [], Text = "" };
        Choice back = Back(null, choice, MirrorRpc.Mirror.Request);
        Assert.Equal((null, ""), (back.Codes, back.Text));
        back = Back(new ProtobufNetIpcSerializer(), choice, MirrorRpc.Mirror.Request);
        Assert.Empty(back.Codes!);
        Assert.Equal("", back.Text);
        back = Back(new MessagePackIpcSerializer(), choice, MirrorRpc.Mirror.Request);
        Assert.Empty(back.Codes!);
        Assert.Equal("", back.Text);
    }

    private static Order Back(IpcSerializer? serializer, Order order) => Back(serializer, order, ShopRpc.Mirror.Request);

    private static T Back<T>(IpcSerializer? serializer, T message, MessageCodec<T> generated)
    {
        MessageCodec<T> codec = serializer?.CodecFor(generated) ?? generated;
        byte[] place = new byte[4096];
        return codec.Decode(place.AsSpan(0, codec.Encode(message, place)));
    }
}
