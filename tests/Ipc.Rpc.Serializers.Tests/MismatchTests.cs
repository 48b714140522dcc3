using System;
using System.Buffers;
using System.Threading.Tasks;
using Ipc.Rpc.Serializers.Tests.Contract;
using MessagePack;
using Xunit;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>What goes wrong between two formats, or inside one, ends its own call with a type.</summary>
public sealed class MismatchTests
{
    [Fact]
    public async Task AFormatThatTheServerLacksIsUnimplementedAndNamed()
    {
        using var pair = new Connected(null, new MessagePackIpcSerializer());
        RpcCallException refused = Assert.Throws<RpcCallException>(() => pair.Proxy.Mirror(Orders.Full()));
        Assert.Equal(RpcStatus.Unimplemented, refused.Status);
        Assert.Contains("protobuf", refused.Message, StringComparison.Ordinal);
        refused = await Assert.ThrowsAsync<RpcCallException>(() => pair.Proxy.FindAsync("me", TestContext.Current.CancellationToken));
        Assert.Equal(RpcStatus.Unimplemented, refused.Status);
        refused = await Assert.ThrowsAsync<RpcCallException>(async () => await pair.Proxy.Items(3).GetAsyncEnumerator(TestContext.Current.CancellationToken).MoveNextAsync());
        Assert.Equal(RpcStatus.Unimplemented, refused.Status);
        Assert.True(pair.Client.IsConnected);
    }

    [Fact]
    public void AServerWithMessagePackStillHasProtobuf()
    {
        using var pair = new Connected(new MessagePackIpcSerializer(), null);
        Orders.Same(Orders.Full(), pair.Proxy.Mirror(Orders.Full()));
    }

    [Fact]
    public void WhatMessagePackCannotWriteIsRefusedBeforeItIsSent()
    {
        var messagePack = new MessagePackIpcSerializer();
        RpcMethod<Unserializable, Unserializable> method = Unserializable.Method(messagePack);
        using var pair = new Connected(messagePack, messagePack, Unserializable.Service(method));
        RpcCallException refused = Assert.Throws<RpcCallException>(() => pair.Client.Call(method, new Unserializable()));
        Assert.Equal(RpcStatus.InvalidArgument, refused.Status);
        Assert.IsType<MessagePackSerializationException>(refused.InnerException?.InnerException);
        Orders.Same(Orders.Full(), pair.Proxy.Mirror(Orders.Full()));
    }

    [Fact]
    public void ANullMessageIsRefused()
    {
        var messagePack = new MessagePackIpcSerializer();
        using var pair = new Connected(messagePack, messagePack);
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => pair.Proxy.Mirror(null!)).Status);
        pair.Proxy.Ping();
    }

    [Fact]
    public void CompressionIsRefused()
        => Assert.Throws<ArgumentException>(() => new MessagePackIpcSerializer(MessagePackSerializerOptions.Standard.WithCompression(MessagePackCompression.Lz4BlockArray)));

    /// <summary>Bytes that were spoiled on the way: whatever they are, the only exception is the codec's.</summary>
    [Theory]
    [InlineData(Formats.MessagePack)]
    [InlineData(Formats.ProtobufNet)]
    public void SpoiledBytesAreRefusedWithAType(string format)
    {
        MessageCodec<Order> codec = Formats.Serializer(format)!.CodecFor(ShopRpc.Mirror.Request);
        byte[] place = new byte[4096];
        byte[] good = place[..codec.Encode(Orders.Full(), place)];
        Random random = new(20_240);
        int refused = 0;
        for (int i = 0; i < 5_000; i++)
        {
            byte[] bad = (byte[])good.Clone();
            for (int flips = random.Next(1, 4); flips > 0; flips--)
                bad[random.Next(bad.Length)] = (byte)random.Next(256);
            ReadOnlySpan<byte> cut = bad.AsSpan(0, random.Next(3) == 0 ? random.Next(bad.Length) : bad.Length);
            try
            {
                codec.Decode(cut);
            }
            catch (ProtoException e)
            {
                Assert.Equal(ProtoError.SerializerFailed, e.Error);
                refused++;
            }
        }

        Assert.InRange(refused, 100, 5_000);
    }

    [Fact]
    public void BytesBehindAMessageAreRefused()
    {
        MessageCodec<Order> codec = new MessagePackIpcSerializer().CodecFor(ShopRpc.Mirror.Request);
        var place = new byte[4096];
        int length = codec.Encode(Orders.Full(), place);
        Assert.Throws<ProtoException>(() => codec.Decode(place.AsSpan(0, length + 1)));
    }
}
