using System;
using System.Threading;
using MessagePack;
using ProtoBuf.Meta;
using Xunit;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>What the generator refuses and either library knows, as its users expect it: by methods made by hand, of codecs of the adapter.</summary>
public sealed class ForeignTests
{
    private readonly MessagePackIpcSerializer _messagePack = new();
    private readonly ProtobufNetIpcSerializer _protobufNet = new();

    [Fact]
    public void AUnionOfMessagePackArrivesAsWhatItIs()
    {
        using var pair = new Mirrored<IPet>(_messagePack);
        Assert.Equal(new Cat("Tom", 7), pair.Send(new Cat("Tom", 7)));
        Assert.Equal(new Dog("Rex"), pair.Send(new Dog("Rex")));
    }

    [Fact]
    public void ASubtypeOfProtobufNetArrivesAsWhatItIs()
    {
        using var pair = new Mirrored<Shape>(_protobufNet);
        Circle circle = Assert.IsType<Circle>(pair.Send(new Circle { Name = "c", Radius = 2.5 }));
        Assert.Equal(("c", 2.5), (circle.Name, circle.Radius));
    }

    [Fact]
    public void ASurrogateIsWrittenInTheTypesPlace()
    {
        RuntimeTypeModel model = ProtobufNetIpcSerializer.CreateModel();
        model.Add<Money>(false).SetSurrogate(typeof(MoneyText));
        using var pair = new Mirrored<Invoice>(new ProtobufNetIpcSerializer(model));
        Invoice back = pair.Send(new Invoice { Total = new Money(1.50m, "EUR"), Parts = [new Money(1m, "EUR"), new Money(0.5m, "CHF")] });
        Assert.Equal((1.50m, "EUR"), (back.Total!.Amount, back.Total.Currency));
        Assert.Equal("CHF", back.Parts[1].Currency);
    }

    [Theory]
    [InlineData(Formats.MessagePack)]
    [InlineData(Formats.ProtobufNet)]
    public void OneObjectInTwoPlacesArrivesAsTwo(string format)
    {
        using var pair = new Mirrored<Link>(Formats.Serializer(format)!);
        var shared = new Link { Name = "shared" };
        Link back = pair.Send(new Link { Next = shared, Other = shared });
        Assert.Equal(("shared", "shared"), (back.Next!.Name, back.Other!.Name));
        Assert.NotSame(back.Next, back.Other);
    }

    [Theory]
    [InlineData(Formats.MessagePack)]
    [InlineData(Formats.ProtobufNet)]
    public void CallbacksAreCalledAtBothEnds(string format)
    {
        using var pair = new Mirrored<Told>(Formats.Serializer(format)!);
        Told back = pair.Send(new Told { Value = 1 });
        Assert.Equal((3, "read 3"), (back.Value, back.Log)); // told before the request and before the answer
    }

    [Theory]
    [InlineData(Formats.MessagePack)]
    [InlineData(Formats.ProtobufNet)]
    public void WhatThrowsEndsItsOwnCallWithAType(string format)
    {
        using var pair = new Mirrored<Throwing>(Formats.Serializer(format)!);
        RpcCallException unwritable = Assert.Throws<RpcCallException>(() => pair.Send(Throwing.Unwritable()));
        Assert.Equal(RpcStatus.InvalidArgument, unwritable.Status);
        Assert.Equal(ProtoError.SerializerFailed, Assert.IsType<ProtoException>(unwritable.InnerException).Error);
        Assert.Contains(format + " could not write Throwing", unwritable.Message, StringComparison.Ordinal);
        RpcCallException unreadable = Assert.Throws<RpcCallException>(() => pair.Send(Throwing.Unreadable()));
        Assert.Equal(RpcStatus.InvalidArgument, unreadable.Status);
        Assert.Contains(format + " could not read Throwing", unreadable.Message, StringComparison.Ordinal);
        Assert.Equal(RpcStatus.Internal, Assert.Throws<RpcCallException>(() => pair.Send(new Throwing { Value = 1 }, static _ => Throwing.Unwritable())).Status);
        Assert.Equal(1, pair.Send(new Throwing { Value = 1 }).Value);
    }

    /// <summary>A list of MessagePack holds null, one of protobuf does not.</summary>
    [Fact]
    public void NullInAListArrivesByMessagePackAndIsRefusedByProtobufNet()
    {
        using var messagePack = new Mirrored<Texts>(_messagePack);
        Assert.Equal(["a", null], messagePack.Send(new Texts { All = ["a", null] }).All);
        using var protobufNet = new Mirrored<Texts>(_protobufNet);
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => protobufNet.Send(new Texts { All = ["a", null] })).Status);
        Assert.Equal(["a"], protobufNet.Send(new Texts { All = ["a"] }).All);
    }

    [Fact]
    public void BytesThatNestWithoutEndAreRefusedWithAType()
    {
        byte[] nested = new byte[100_000];
        nested.AsSpan().Fill(0x93); // arrays of three within arrays of three
        Assert.Equal(ProtoError.SerializerFailed, Assert.Throws<ProtoException>(() => _messagePack.Codec<Link>("Link").Decode(nested)).Error);
    }

    [Fact]
    public void OneServerHasAllFormatsAtOnce()
    {
        string name = "serializers-all-" + Guid.NewGuid().ToString("N");
        using RpcServer server = RpcServer.Start(name, new RpcServerOptions { Serializers = { _protobufNet, _messagePack } }, [Contract.ShopRpc.Service(new Contract.Shop())]);
        foreach (IpcSerializer? chosen in (IpcSerializer?[])[null, _protobufNet, _messagePack])
        {
            using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { Serializer = chosen });
            Orders.Same(Orders.Full(), Contract.ShopRpc.Client(client).Mirror(Orders.Full()));
        }
    }

    [Fact]
    public void TwoSerializersOfOneFormatAreRefusedByName()
    {
        var options = new RpcServerOptions { Serializers = { new ProtobufNetIpcSerializer(), new ProtobufNetIpcSerializer() } };
        ArgumentException refused = Assert.Throws<ArgumentException>(() => RpcServer.Start("serializers-two", options, [Contract.ShopRpc.Service(new Contract.Shop())]));
        Assert.Contains("protobuf-net", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void TheVersionsAreTheOnesThatThisProjectIsFor()
    {
#if NEWEST
        Assert.Equal(new Version(3, 1), Version2(typeof(MessagePackSerializer)));
#else
        Assert.Equal(new Version(2, 5), Version2(typeof(MessagePackSerializer)));
#endif
    }

    private static Version Version2(Type type) => new(type.Assembly.GetName().Version!.Major, type.Assembly.GetName().Version!.Minor);

    /// <summary>A method made by hand whose answer is what it was asked.</summary>
    private sealed class Mirrored<T> : IDisposable
        where T : notnull
    {
        private readonly RpcMethod<T, T> _method;
        private readonly Connected _pair;
        private Func<T, T> _handler = static message => message;

        public Mirrored(IpcSerializer serializer)
        {
            MessageCodec<T> codec = serializer.Codec<T>(typeof(T).Name);
            _method = new RpcMethod<T, T>("serializers.mirror.v1", "Mirror", RpcMethodKind.Unary, codec, codec);
            _pair = new Connected(null, null, new RpcService(_method.Service, [RpcHandler.Unary(_method, (T message, CancellationToken _) => _handler(message))]));
        }

        public T Send(T message) => _pair.Client.Call(_method, message);

        public T Send(T message, Func<T, T> handler)
        {
            _handler = handler;
            try
            {
                return Send(message);
            }
            finally
            {
                _handler = static same => same;
            }
        }

        public void Dispose() => _pair.Dispose();
    }
}
