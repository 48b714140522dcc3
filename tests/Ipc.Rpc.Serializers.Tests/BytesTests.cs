using System;
using System.Collections.Generic;
using Ipc.Rpc.Serializers.Tests.Contract;
using MessagePack;
using MessagePack.Resolvers;
using ProtoBuf;
using Xunit;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>What is on the wire: for other programs that speak the format.</summary>
public sealed class BytesTests
{
    private readonly MessagePackIpcSerializer _messagePack = new();

    [Fact]
    public void AMessageIsWhatMessagePackMakesOfTheType()
    {
        MessagePackSerializerOptions options = MessagePackSerializerOptions.Standard.WithResolver(StandardResolverAllowPrivate.Instance);
        Assert.Equal(MessagePackSerializer.Serialize(Orders.Full(), options, TestContext.Current.CancellationToken), Encoded(_messagePack.CodecFor(ShopRpc.Mirror.Request), Orders.Full()));
    }

    [Fact]
    public void ParametersAreAnArrayFromPlace1On()
    {
        var arguments = ShopRpc.Describe.Request.Fields!.Read(new Values(7, "x", new List<double> { 0.5 }, null));
        byte[] bytes = Encoded(_messagePack.CodecFor(ShopRpc.Describe.Request), arguments);
        Assert.Equal("95C007A17891CB3FE0000000000000C0", Convert.ToHexString(bytes));
    }

    [Fact]
    public void ABareResultIsAnArrayOfNilAndIt()
    {
        Assert.Equal("92C0A26F6B", Convert.ToHexString(Encoded(_messagePack.CodecFor(ShopRpc.Describe.Response), "ok")));
        Assert.Equal("92C0C0", Convert.ToHexString(Encoded(_messagePack.CodecFor(ShopRpc.Find.Response), null)));
    }

    [Fact]
    public void NothingIsAnEmptyArray()
    {
        MessageCodec<RpcEmpty> codec = _messagePack.CodecFor(RpcEmpty.Codec);
        Assert.Equal("90", Convert.ToHexString(Encoded(codec, default)));
        codec.Decode([0x93, 0x01, 0x02, 0x03]); // what a newer peer sends
    }

    [Fact]
    public void FieldsOfANewerPeerAreSkippedAndThoseOfAnOlderHaveDefaults()
    {
        MessageCodec<string> codec = _messagePack.CodecFor(ShopRpc.Describe.Response);
        Assert.Equal("ok", codec.Decode([0x94, 0xC0, 0xA2, 0x6F, 0x6B, 0x92, 0x01, 0x02, 0x05]));
        Assert.Equal("", codec.Decode([0x91, 0xC0]));
        Assert.Equal("", codec.Decode([0x90]));
    }

    [Fact]
    public void ProtobufNetWritesTheBytesOfTheGeneratedCodec()
    {
        MessageCodec<Order> generated = ShopRpc.Mirror.Request;
        MessageCodec<Order> protobufNet = new ProtobufNetIpcSerializer().CodecFor(generated);
        Order order = Orders.Full();
        order.Discount = 5;
        order.Gift = new Item("gift", 1);
        order.Codes.Remove(0);
        Assert.Equal(Convert.ToHexString(Encoded(generated, order)), Convert.ToHexString(Encoded(protobufNet, order)));
    }

    [Fact]
    public void ProtobufNetWritesParametersByTheGeneratedCodec()
        => Assert.Same(ShopRpc.Describe.Request, new ProtobufNetIpcSerializer().CodecFor(ShopRpc.Describe.Request));

    [Fact]
    public void ATypeThatOnlyProtobufNetKnowsIsAMethodMadeByHand()
    {
        var protobufNet = new ProtobufNetIpcSerializer();
        MessageCodec<Shape> codec = protobufNet.Codec<Shape>("Shape");
        var method = new RpcMethod<Shape, Shape>("serializers.shapes.v1", "Mirror", RpcMethodKind.Unary, codec, codec);
        using var pair = new Connected(null, null, new RpcService(method.Service, [RpcHandler.Unary(method, static (shape, _) => shape)]));
        Circle circle = Assert.IsType<Circle>(pair.Client.Call(method, new Circle { Name = "c", Radius = 2.5 }));
        Assert.Equal(("c", 2.5), (circle.Name, circle.Radius));
    }

    private static byte[] Encoded<T>(MessageCodec<T> codec, T value)
    {
        var place = new byte[4096];
        return place[..codec.Encode(value, place)];
    }

    private sealed class Values(params object?[] values) : IMessageFieldReader
    {
        public TField? Read<TField>(int number) => (TField?)values[number - 1];
    }
}

[ProtoContract]
[ProtoInclude(10, typeof(Circle))]
public abstract class Shape
{
    [ProtoMember(1)]
    public string Name { get; set; } = "";
}

[ProtoContract]
public sealed class Circle : Shape
{
    [ProtoMember(1)]
    public double Radius { get; set; }
}
