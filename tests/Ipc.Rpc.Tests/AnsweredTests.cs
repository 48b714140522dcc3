using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

#pragma warning disable CA2012 // calls that are sent first and awaited once each, later

namespace Ipc.Rpc.Tests;

/// <summary>What a server had answered before it went is answered, whoever notices first that it has gone: a server that stops in good order goes right behind its
/// last answer. A call that found nobody to call ended all others, their answers unread.</summary>
public sealed class AnsweredTests
{
    [Theory]
    [InlineData("synchronous")]
    [InlineData("asynchronous")]
    [InlineData("one-way")]
    [InlineData("stream")]
    [InlineData("a full ring")]
    public async Task ACallThatFindsNobodyEndsNoneThatHasItsAnswer(string finds)
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { AutoReconnect = false, ToServerCapacity = 4096 });
        await Eventually.Ends(accepting);
        ValueTask<int> answered = client.CallAsync(Hand.Ask, 1); // nobody waits for it, so nobody reads
        ValueTask<int> pending = client.CallAsync(Hand.Ask, 2);
        await using IAsyncEnumerator<int> items = client.Stream(Hand.Items, 3, TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        ValueTask<bool> first = items.MoveNextAsync();
        FrameHeader request = server.Receive();
        server.Receive();
        FrameHeader stream = server.Receive();
        List<Task> queued = [];
        Task waits = Task.CompletedTask;
        if (finds == "a full ring")
        {
            while (!client.Session.Channel!.HasQueued)
                queued.Add(client.NotifyAsync(Hand.Tell, 1).AsTask());
            waits = Task.Run(() => client.Notify(Hand.Tell, 1), TestContext.Current.CancellationToken);
        }

        server.Send(new FrameHeader(FrameKind.Item, stream.Call), Hand.Bytes(5));
        server.Send(new FrameHeader(FrameKind.Response, request.Call), Hand.Bytes(7));
        server.Dispose();
        switch (finds)
        {
            case "synchronous":
                Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 4)).Status);
                break;
            case "asynchronous":
                Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(Task.Run(async () => await client.CallAsync(Hand.Ask, 4)))).Status);
                break;
            case "one-way":
                Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => client.Notify(Hand.Tell, 4)).Status);
                break;
            case "stream":
                await using (IAsyncEnumerator<int> more = client.Stream(Hand.Items, 4, TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken))
                    Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(Task.Run(async () => await more.MoveNextAsync()))).Status);
                break;
            default:
                Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(waits)).Status);
                break;
        }

        Assert.False(client.IsConnected);
        Assert.Equal(7, await Eventually.Ends(answered.AsTask()));
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(pending.AsTask())).Status);
        Assert.True(await Eventually.Ends(first.AsTask()));
        Assert.Equal(5, items.Current);
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(items.MoveNextAsync().AsTask())).Status);
        foreach (Task each in queued)
            await Eventually.Over(each);
    }

    /// <summary>The server goes while a request is being written for which its ring has no room.</summary>
    [Fact]
    public async Task ACallThatWaitsAMomentForRoomEndsNoneThatHasItsAnswer()
    {
        const int Size = 1500;
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { AutoReconnect = false, ToServerCapacity = 4096 });
        await Eventually.Ends(accepting);
        ValueTask<int> answered = client.CallAsync(Hand.Ask, 1); // nobody waits for it, so nobody reads
        FrameHeader request = server.Receive();
        Action whileWritten = static () => { };
        var large = new MessageCodec<int>(
            "Large",
            (ref ProtoWriter writer, in int _) =>
            {
                whileWritten();
                writer.WriteBytes((1 << 3) | 2, new byte[Size]);
            },
            static (ref ProtoReader _) => 0);
        var put = new RpcMethod<int, int>(Hand.Name, "Put", RpcMethodKind.Unary, large, Hand.Number);
        List<ValueTask<int>> sent = [client.CallAsync(put, 1), client.CallAsync(put, 2)]; // nor for these
        Assert.False(client.Session.Channel!.HasQueued);
        whileWritten = () =>
        {
            server.Send(new FrameHeader(FrameKind.Response, request.Call), Hand.Bytes(7));
            server.Dispose();
        };
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(Task.Run(async () => await client.CallAsync(put, 3)))).Status);
        Assert.Equal(7, await Eventually.Ends(answered.AsTask()));
        foreach (ValueTask<int> each in sent)
            Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(each.AsTask())).Status);
    }

    /// <summary>The thread that waits for the answer has been woken, and another one calls before it reads.</summary>
    [Fact]
    public async Task AServerThatHasStoppedInGoodOrderHasAnsweredAll()
    {
        for (int life = 0; life < 200; life++)
        {
            var gate = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            using var entered = new SemaphoreSlim(0);
            await using RpcServer server = Hand.Serve(
                out string name,
                RpcHandler.UnaryAsync(Hand.Other, async number =>
                {
                    entered.Release();
                    await gate.Task;
                    return number;
                }),
                RpcHandler.Unary(Hand.Ask, static number => number));
            await using RpcClient client = await RpcClient.ConnectAsync(name, new RpcClientOptions { AutoReconnect = false });
            Task<int> awaited = client.CallAsync(Hand.Other, life).AsTask();
            Task<int> blocked = Task.Run(() => client.Call(Hand.Other, life + 1), TestContext.Current.CancellationToken);
            Assert.True(await entered.WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken));
            Assert.True(await entered.WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken));
            Task stopping = server.StopAsync(TestContext.Current.CancellationToken);
            gate.SetResult(true);
            while (client.IsConnected)
                Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1)).Status); // it stops, or has gone
            Assert.Equal(life, await Eventually.Ends(awaited));
            Assert.Equal(life + 1, await Eventually.Ends(blocked));
            await Eventually.Ends(stopping);
        }
    }
}
