using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What a peer sends that speaks no such protocol: it is told so and cut off; everybody else goes on.</summary>
public sealed class HostileTests
{
    public static TheoryData<string, byte[], int> FramesThatNoClientSends => new()
    {
        { "empty", Array.Empty<byte>(), 1 },
        { "short", new byte[23], 1 },
        { "kind 0", Frame(0), 1 },
        { "kind 11", Frame(11), 1 },
        { "kind 255", Frame(255), 1 },
        { "another record type", Frame(1), 2 },
        { "a response", Frame(2), 1 },
        { "an error", Frame(3), 1 },
        { "a callback of its own", Frame(1, flags: 2), 1 },
        { "an answer to a call of its own", Frame(10), 1 },
        { "a credit of nothing", Frame(6), 1 },
        { "a reserved flag", Frame(1, flags: 0x40), 1 },
        { "the format that is not used", Frame(1, flags: 0x30), 1 },
        { "one-way where it means nothing", Frame(6, flags: 1), 1 },
        { "call 0", Frame(1, call: 0), 1 },
        { "a ping of 65 bytes", Frame(8, length: 24 + 65), 1 },
    };

    public static TheoryData<string, byte[], int> FramesThatNoServerSends => new()
    {
        { "empty", Array.Empty<byte>(), 1 },
        { "short", new byte[23], 1 },
        { "kind 0", Frame(0), 1 },
        { "kind 99", Frame(99), 1 },
        { "another record type", Frame(2), 7 },
        { "a request", Frame(1), 1 },
        { "a credit of nothing", Frame(6), 1 },
        { "a cancel", Frame(7), 1 },
        { "one-way", Frame(2, flags: 1), 1 },
        { "call 0", Frame(2, call: 0), 1 },
        { "an item for a unary call", Frame(4), 1 },
        { "an end for a unary call", Frame(5), 1 },
    };

    [Theory]
    [MemberData(nameof(FramesThatNoClientSends))]
    public void AClientThatBreaksTheProtocolIsClosedWithTheReason(string what, byte[] frame, int recordType)
    {
        Assert.NotNull(what);
        using var server = new TestServer();
        using RpcClient other = server.Connect();
        using (var hostile = new RawClient(server.Name))
        {
            hostile.SendRecord(frame, (ushort)recordType);
            hostile.WaitUntilClosed();
            Assert.Equal(CloseCode.Protocol, hostile.Connection.PeerCloseCode);
            Assert.False(string.IsNullOrEmpty(hostile.Connection.PeerCloseText));
        }

        ErrorTests.Lives(TestServiceRpc.Client(other));
        Eventually.True(() => server.Server.ConnectionCount == 1, "the hostile connection is gone");
    }

    /// <summary>The frame is one, its message is none: that ends the call, and the callee is told that nobody listens any more.</summary>
    [Theory]
    [InlineData("server stream")]
    [InlineData("duplex")]
    [InlineData("progress")]
    public async Task AMessageThatCannotBeDecodedEndsItsCallAndNothingElse(string shape)
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { AutoReconnect = false });
        await Eventually.Ends(accepting);
        CancellationToken cancel = TestContext.Current.CancellationToken;
        Task call = shape switch
        {
            "server stream" => Drain(client.Stream(Hand.Items, 1, cancel)),
            "duplex" => Drain(client.Duplex(Hand.Scale, 1, new Source(-1, static async (item, stop) => await Task.Delay(item == 1 ? 0 : Timeout.Infinite, stop)), cancel)),
            _ => client.CallAsync(Hand.Work, 1, new Progress<int>(), cancel).AsTask(),
        };
        FrameHeader request = server.Receive();
        FrameKind kind = shape == "progress" ? FrameKind.Progress : FrameKind.Item;
        if (kind == FrameKind.Item)
            server.Send(new FrameHeader(kind, request.Call), Hand.Bytes(1)); // the first is fine
        server.Send(new FrameHeader(kind, request.Call), 0x08, 0x80); // a varint that does not end
        RpcCallException e = await Eventually.Fails(call);
        Assert.Equal(RpcStatus.Internal, e.Status);
        Assert.Contains(shape == "progress" ? "hand.v1/Work" : "hand.v1/", e.Message, StringComparison.Ordinal);

        FrameHeader told = server.Receive();
        while (told.Kind is FrameKind.Item or FrameKind.Credit)
            told = server.Receive();
        Assert.Equal((FrameKind.Cancel, request.Call), (told.Kind, told.Call));
        server.Send(new FrameHeader(kind, request.Call), Hand.Bytes(2)); // crosses: dropped

        Task<int> next = client.CallAsync(Hand.Ask, 1, cancel).AsTask(); // the connection lives
        FrameHeader asked = server.Receive();
        server.Send(new FrameHeader(FrameKind.Response, asked.Call), Hand.Bytes(9));
        Assert.Equal(9, await Eventually.Ends(next));

        static async Task Drain(IAsyncEnumerable<int> items)
        {
            await foreach (int item in items)
                Assert.Equal(1, item);
        }
    }

    [Theory]
    [MemberData(nameof(FramesThatNoServerSends))]
    public async Task AServerThatBreaksTheProtocolEndsEveryCallWithDataLoss(string what, byte[] frame, int recordType)
    {
        Assert.NotNull(what);
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { AutoReconnect = false });
        await Eventually.Ends(accepting);

        ITestService service = TestServiceRpc.Client(client);
        Task<int> first = service.AddAsync(1, 1).AsTask();
        Task<int> second = Task.Run(() => service.Add(2, 2));
        server.Receive();
        server.Receive();
        server.SendRecord(frame, (ushort)recordType);
        Assert.Equal(RpcStatus.DataLoss, (await Eventually.Fails(first)).Status);
        Assert.Equal(RpcStatus.DataLoss, (await Eventually.Fails(second)).Status);
        Assert.Equal(CloseCode.Protocol, server.Connection.PeerCloseCode);
        Assert.Equal(RpcStatus.DataLoss, Assert.Throws<RpcCallException>(() => service.Add(1, 1)).Status);
    }

    [Fact]
    public async Task MoreItemsThanCreditEndTheStreamAndNothingElse()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { StreamWindow = 10 });
        await Eventually.Ends(accepting);
        ITestService service = TestServiceRpc.Client(client);
        await using IAsyncEnumerator<int> items = service.Count(0, 9).GetAsyncEnumerator();
        Task<bool> first = items.MoveNextAsync().AsTask();
        FrameHeader request = server.Receive();
        Assert.Equal(10, request.Code);
        server.Send(new FrameHeader(FrameKind.Item, request.Call), RawClient.Varint(1, 1));
        Assert.True(await Eventually.Ends(first));

        // One item has been consumed, too few to give more credit. Another call's reply comes behind ten more: one too many.
        Task<int> other = Task.Run(() => service.Add(1, 1));
        FrameHeader add = server.Receive();
        for (int i = 2; i <= 11; i++)
            server.Send(new FrameHeader(FrameKind.Item, request.Call), RawClient.Varint(1, i));
        server.Send(new FrameHeader(FrameKind.Response, add.Call), RawClient.Varint(1, 2));
        Assert.Equal(2, await Eventually.Ends(other));

        FrameHeader cancel = server.Receive();
        Assert.Equal(FrameKind.Cancel, cancel.Kind);
        Assert.Equal(request.Call, cancel.Call);
        int next = 2;
        RpcCallException e = await Eventually.Fails(Task.Run(async () =>
        {
            while (await items.MoveNextAsync())
                Assert.Equal(next++, items.Current);
        }));
        Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
        Assert.Contains("credit", e.Message, StringComparison.Ordinal);
        Assert.Equal(11, next);
    }

    [Fact]
    public async Task FramesForCallsThatAreNotPendingAreDropped()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        Task<int> call = TestServiceRpc.Client(client).AddAsync(1, 1).AsTask();
        FrameHeader request = server.Receive();
        foreach (FrameKind kind in new[] { FrameKind.Response, FrameKind.Error, FrameKind.Item, FrameKind.End, FrameKind.Pong })
        {
            server.Send(new FrameHeader(kind, request.Call + (1UL << 32)));  // the slot's next use
            server.Send(new FrameHeader(kind, request.Call + 7));            // another slot
            server.Send(new FrameHeader(kind, ulong.MaxValue));
        }

        Assert.False(call.IsCompleted);
        server.Send(new FrameHeader(FrameKind.Response, request.Call), RawClient.Varint(1, 42));
        Assert.Equal(42, await Eventually.Ends(call));
    }

    [Fact]
    public void PingsAreAnsweredWithTheSameBytes()
    {
        using var server = new TestServer();
        using var client = new RawClient(server.Name);
        client.Send(new FrameHeader(FrameKind.Ping, 77), 1, 2, 3);
        FrameHeader pong = client.Receive(out byte[] body);
        Assert.Equal(FrameKind.Pong, pong.Kind);
        Assert.Equal(77UL, pong.Call);
        Assert.Equal(new byte[] { 1, 2, 3 }, body);
    }

    [Fact]
    public void AOneWayRequestIsHandledAndNotAnswered()
    {
        using var server = new TestServer();
        using var client = new RawClient(server.Name);
        server.Service.GateOf(string.Empty).Opened.Set();
        client.Send(new FrameHeader(FrameKind.Request, 1, method: TestServiceRpc.Wait.Id, flags: FrameFlags.OneWay));
        client.Send(new FrameHeader(FrameKind.Request, 2, method: 12345, flags: FrameFlags.OneWay));
        client.Send(new FrameHeader(FrameKind.Request, 3, method: TestServiceRpc.Nothing.Id));
        Assert.Equal(3UL, client.Receive().Call);
        Eventually.True(() => server.Service.GateOf(string.Empty).Entered == 1, "the handler has run");
    }

    [Fact]
    public void ACallIdThatIsPendingIsNotUsedTwice()
    {
        using var server = new TestServer();
        using var client = new RawClient(server.Name);
        Gate gate = server.Service.GateOf(string.Empty);
        client.Send(new FrameHeader(FrameKind.Request, 9, method: TestServiceRpc.Wait.Id));
        Eventually.True(() => gate.Entered == 1, "the handler waits");
        client.Send(new FrameHeader(FrameKind.Request, 9, method: TestServiceRpc.Wait.Id));
        FrameHeader error = client.Receive(out byte[] body);
        Assert.Equal(FrameKind.Error, error.Kind);
        Assert.Equal(9UL, error.Call);
        Assert.Equal((ushort)RpcStatus.InvalidArgument, error.Code);
        Assert.Contains("9", ErrorBody.Decode(body).Text, StringComparison.Ordinal);
        Eventually.True(() => gate.Cancelled == 1, "the first call's token fires");

        // That was the only answer, the second handler never ran, and the connection lives.
        client.Send(new FrameHeader(FrameKind.Request, 10, method: TestServiceRpc.Nothing.Id));
        Assert.Equal(10UL, client.Receive().Call);
        Assert.Equal(1, gate.Entered);
    }

    [Fact]
    public void CreditBeyondCountingEndsTheConnection()
    {
        using var server = new TestServer();
        using var client = new RawClient(server.Name);
        client.Send(new FrameHeader(FrameKind.Request, 1, code: 1, method: TestServiceRpc.Count.Id), RawClient.Varint(2, 1_000_000));
        client.Receive();
        client.Send(new FrameHeader(FrameKind.Credit, 1, method: uint.MaxValue));
        client.WaitUntilClosed();
        Assert.Equal(CloseCode.Protocol, client.Connection.PeerCloseCode);
        Eventually.True(() => server.Service.StreamsEnded == 1, "the producer ends");
    }

    [Fact]
    public void RandomFramesNeitherStopNorConfuseTheServer()
    {
        var random = new Random(4711);
        using var server = new TestServer();
        using RpcClient other = server.Connect();
        for (int round = 0; round < 200; round++)
        {
            using var hostile = new RawClient(server.Name);
            for (int i = 0; i < 5; i++)
            {
                var bytes = new byte[random.Next(0, 200)];
                random.NextBytes(bytes);
                if (bytes.Length > 24 && random.Next(3) != 0)
                {
                    // Near to right: a proper header for a method that there is, and a body of noise.
                    new FrameHeader(FrameKind.Request, 1 + (ulong)i, (ushort)random.Next(2), TestServiceRpc.Echo.Id).WriteTo(bytes);
                }

                if (!hostile.Connection.IsOpen)
                    break;
                hostile.SendRecord(bytes, (ushort)(random.Next(10) == 0 ? random.Next(65536) : 1));
            }
        }

        ErrorTests.Lives(TestServiceRpc.Client(other));
        Eventually.True(() => server.Server.ConnectionCount == 1, "the hostile connections are gone");
    }

    private static byte[] Frame(byte kind, byte flags = 0, ulong call = (1UL << 32) | 1, int length = 24)
    {
        var frame = new byte[length];
        frame[0] = kind;
        frame[1] = flags;
        BitConverter.TryWriteBytes(frame.AsSpan(8), call);
        return frame;
    }
}
