using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Calls in another format than protobuf, and serializers that throw in each place: the call ends with a type, the connection lives.</summary>
public sealed class SerializerTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task EveryKindOfMessageTravelsInTheChosenFormat()
    {
        using TestServer server = Offering(new JsonIpcSerializer());
        using RpcClient client = server.Connect(new RpcClientOptions { Serializer = new JsonIpcSerializer() });
        ITestService proxy = TestServiceRpc.Client(client);
        var message = new Message { Number = 5, Value = 0.5, Text = "text" };
        Assert.Equal(message, proxy.Echo(message));
        Assert.Equal(message, await proxy.EchoAsync(message, Cancel));
        Assert.Equal(3, proxy.Add(1, 2));
        proxy.Nothing();
        Assert.Equal(100_000, proxy.Blob(100_000).Length);
        Assert.Equal([7, 8, 9], await Collect(proxy.Count(7, 3, Cancel)));
    }

    [Fact]
    public void EachClientHasItsOwnFormat()
    {
        using TestServer server = Offering(new JsonIpcSerializer("one"), new JsonIpcSerializer("two"));
        foreach (IpcSerializer? serializer in new IpcSerializer?[] { null, new JsonIpcSerializer("one"), new JsonIpcSerializer("two") })
        {
            using RpcClient client = server.Connect(new RpcClientOptions { Serializer = serializer });
            Assert.Equal(3, TestServiceRpc.Client(client).Add(1, 2));
        }
    }

    [Fact]
    public async Task AFormatThatTheServerLacksIsUnimplementedAndNamed()
    {
        using TestServer server = Offering(new JsonIpcSerializer("json.v1"));
        using RpcClient client = server.Connect(new RpcClientOptions { Serializer = new JsonIpcSerializer("json.v2") });
        ITestService proxy = TestServiceRpc.Client(client);
        RpcCallException refused = Assert.Throws<RpcCallException>(() => proxy.Add(1, 2));
        Assert.Equal(RpcStatus.Unimplemented, refused.Status);
        Assert.Contains("'json.v2'", refused.Message, StringComparison.Ordinal);
        Assert.Contains("protobuf (0), json.v1", refused.Message, StringComparison.Ordinal);
        refused = await Assert.ThrowsAsync<RpcCallException>(() => Collect(proxy.Count(0, 1, Cancel)));
        Assert.Equal(RpcStatus.Unimplemented, refused.Status);
        Assert.True(client.IsConnected);
    }

    [Fact]
    public async Task WhatCannotBeWrittenIsRefusedBeforeItIsSent()
    {
        using TestServer server = Offering(new JsonIpcSerializer());
        using RpcClient client = server.Connect(new RpcClientOptions { Serializer = new JsonIpcSerializer { Unwritable = IsBad } });
        ITestService proxy = TestServiceRpc.Client(client);
        RpcCallException refused = Assert.Throws<RpcCallException>(() => proxy.Echo(Bad));
        Assert.Equal(RpcStatus.InvalidArgument, refused.Status);
        Assert.Contains("unwritable", refused.Message, StringComparison.Ordinal);
        Assert.IsType<NotSupportedException>(refused.InnerException?.InnerException);
        refused = await Assert.ThrowsAsync<RpcCallException>(async () => await proxy.EchoAsync(Bad, Cancel));
        Assert.Equal(RpcStatus.InvalidArgument, refused.Status);
        Assert.Equal(3, proxy.Add(1, 2));
    }

    [Fact]
    public void ARequestThatTheServerCannotReadIsAnInvalidArgument()
        => CallFails(new JsonIpcSerializer { Unreadable = IsBad }, new JsonIpcSerializer(), RpcStatus.InvalidArgument, "unreadable");

    [Fact]
    public void AResponseThatTheServerCannotWriteIsInternal()
        => CallFails(new JsonIpcSerializer { Unwritable = IsBad }, new JsonIpcSerializer(), RpcStatus.Internal, "unwritable");

    [Fact]
    public void AResponseThatTheClientCannotReadIsInternal()
        => CallFails(new JsonIpcSerializer(), new JsonIpcSerializer { Unreadable = IsBad }, RpcStatus.Internal, "unreadable");

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AnItemThatFailsEndsItsStreamAfterTheItemsBeforeIt(bool atTheServer)
    {
        Predicate<object?> isFifth = static value => value is 5;
        using TestServer server = Offering(atTheServer ? new JsonIpcSerializer { Unwritable = isFifth } : new JsonIpcSerializer());
        using RpcClient client = server.Connect(new RpcClientOptions { Serializer = atTheServer ? new JsonIpcSerializer() : new JsonIpcSerializer { Unreadable = isFifth } });
        ITestService proxy = TestServiceRpc.Client(client);
        var items = new List<int>();
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(async () =>
        {
            await foreach (int item in proxy.Count(1, 1_000, Cancel))
                items.Add(item);
        });
        Assert.Equal(RpcStatus.Internal, failure.Status);
        Assert.Equal([1, 2, 3, 4], items);
        Eventually.True(() => server.Service.StreamsEnded == 1, "the producer stopped");
        Assert.Equal(7, proxy.Add(3, 4));
    }

    [Fact]
    public void TwoSerializersOfOneFormatAreRefused()
    {
        Assert.Throws<ArgumentException>(() => Offering(new JsonIpcSerializer("same"), new JsonIpcSerializer("same")));
        Assert.Throws<ArgumentOutOfRangeException>(() => new Numbered(3));
        Assert.Throws<ArgumentOutOfRangeException>(() => new Numbered(-1));
    }

    [Fact]
    public void ACodecIsMadeOnce()
    {
        var serializer = new JsonIpcSerializer();
        Assert.Same(serializer.CodecFor(TestServiceRpc.Echo.Request), serializer.CodecFor(TestServiceRpc.Echo.Request));
        Assert.NotSame(serializer.CodecFor(TestServiceRpc.Echo.Request), new JsonIpcSerializer().CodecFor(TestServiceRpc.Echo.Request));
    }

    [Theory]
    [InlineData("01")] // half a length
    [InlineData("FFFFFFFF")] // negative
    [InlineData("0500000031")] // longer than the message
    [InlineData("0100000031" + "0100000078")] // not JSON
    public void SpoiledFieldsAreRefused(string hex)
    {
        MessageCodec<TestServiceRpc.AddRequest> codec = new JsonIpcSerializer().CodecFor(TestServiceRpc.Add.Request);
        ProtoException refused = Assert.Throws<ProtoException>(() => codec.Decode(Convert.FromHexString(hex)));
        Assert.Equal(ProtoError.SerializerFailed, refused.Error);
    }

    [Fact]
    public void FieldsOfAnotherVersionAreIgnoredOrDefault()
    {
        MessageCodec<int> codec = new JsonIpcSerializer().CodecFor(TestServiceRpc.Add.Response);
        Assert.Equal(0, codec.Decode([]));
        Assert.Equal(1, codec.Decode(Convert.FromHexString("0100000031" + "0100000032")));
    }

    private static Message Bad => new() { Text = "bad" };

    private static bool IsBad(object? value) => value is Message { Text: "bad" };

    private static void CallFails(JsonIpcSerializer offered, JsonIpcSerializer chosen, RpcStatus status, string text)
    {
        using TestServer server = Offering(offered);
        using RpcClient client = server.Connect(new RpcClientOptions { Serializer = chosen });
        ITestService proxy = TestServiceRpc.Client(client);
        RpcCallException failure = Assert.Throws<RpcCallException>(() => proxy.Echo(Bad));
        Assert.Equal(status, failure.Status);
        Assert.Contains(text, failure.Message, StringComparison.Ordinal);
        Assert.Equal(3, proxy.Add(1, 2));
        Assert.True(client.IsConnected);
    }

    private static TestServer Offering(params IpcSerializer[] serializers)
    {
        var options = new RpcServerOptions();
        foreach (IpcSerializer serializer in serializers)
            options.Serializers.Add(serializer);
        return new TestServer(options);
    }

    private static async Task<List<T>> Collect<T>(IAsyncEnumerable<T> items)
    {
        var list = new List<T>();
        await foreach (T item in items)
            list.Add(item);
        return list;
    }

    private sealed class Numbered(int format) : IpcSerializer(format, "numbered")
    {
        protected override void Write<T>(System.Buffers.IBufferWriter<byte> destination, in T message) => throw new NotSupportedException();

        protected override T Read<T>(ReadOnlyMemory<byte> payload) => throw new NotSupportedException();
    }
}
