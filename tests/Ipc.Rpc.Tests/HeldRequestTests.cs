using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Requests that were read and wait for their turn: what they take is bounded, and nobody else notices.</summary>
public sealed class HeldRequestTests
{
    private const int Size = 30_000;
    private const int Bound = 100_000; // three are below it, and the fourth goes beyond

    private static readonly RpcMethod<byte[], int> _take = new(Hand.Name, "Take", RpcMethodKind.Unary, TestServiceRpc.Blob.Response, Hand.Number);

    /// <summary>Whatever it is that they wait for.</summary>
    [Theory]
    [InlineData("order", 1)]
    [InlineData("limit", 2)]
    [InlineData("threads", 2)]
    public async Task SoManyBytesMayWaitAndNoMore(string why, int running)
    {
        using var entered = new SemaphoreSlim(0);
        using var release = new SemaphoreSlim(0);
        var options = new RpcServerOptions
        {
            MaxHeldBytes = Bound,
            OrderedCalls = why == "order",
            MaxConcurrentCalls = why == "limit" ? running : 0,
            MaxThreads = why == "threads" ? running * 2 : 256,
        };
        using RpcServer server = Hand.Serve(
            out string name,
            options,
            RpcHandler.Unary(_take, bytes =>
            {
                entered.Release();
                release.Wait(CancellationToken.None);
                return bytes.Length;
            }),
            RpcHandler.Unary(Hand.Other, static number => number));
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { ToServerCapacity = 1 << 20 });
        using RpcClient bystander = RpcClient.Connect(name);
        for (int round = 0; round < 3; round++) // what has run does not count any more
        {
            List<Task<int>> calls = [];
            for (int i = 0; i < running; i++)
            {
                calls.Add(client.CallAsync(_take, new byte[Size]).AsTask());
                Assert.True(await entered.WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken));
            }

            for (int i = 0; i < 10; i++)
                calls.Add(client.CallAsync(_take, new byte[Size]).AsTask());
            int wait = running + (Bound / Size) + 1;
            foreach (Task<int> refused in calls.Skip(wait))
            {
                RpcCallException e = await Eventually.Fails(refused);
                Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
                Assert.Contains("RpcServerOptions.MaxHeldBytes", e.Message, StringComparison.Ordinal);
            }

            if (why != "limit")
                Assert.Equal(7, bystander.Call(Hand.Other, 7));
            Assert.All(calls.Take(wait), static call => Assert.False(call.IsCompleted));
            release.Release(wait);
            foreach (Task<int> served in calls.Take(wait))
                Assert.Equal(Size, await Eventually.Ends(served));
            while (entered.CurrentCount != 0)
                await entered.WaitAsync(TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public async Task TheSameHoldsForCallbacks()
    {
        using var entered = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        var callers = new TaskCompletionSource<RpcCaller>(TaskCreationOptions.RunContinuationsAsynchronously);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Other, number =>
        {
            callers.SetResult(RpcContext.Current!.Caller);
            return number;
        }));
        var options = new RpcClientOptions { MaxHeldBytes = Bound, OrderedCallbacks = true, ToClientCapacity = 1 << 20 };
        options.Services.Add(Hand.Service(RpcHandler.Unary(_take, bytes =>
        {
            entered.Set();
            release.Wait(CancellationToken.None);
            return bytes.Length;
        })));
        using RpcClient client = RpcClient.Connect(name, options);
        client.Call(Hand.Other, 1);
        RpcCaller caller = await Eventually.Ends(callers.Task);
        List<Task<int>> calls = [caller.CallAsync(_take, new byte[Size]).AsTask()];
        Assert.True(entered.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
        for (int i = 0; i < 10; i++)
            calls.Add(caller.CallAsync(_take, new byte[Size]).AsTask());
        foreach (Task<int> refused in calls.Skip(5))
            Assert.Contains("RpcClientOptions.MaxHeldBytes", (await Eventually.Fails(refused)).Message, StringComparison.Ordinal);
        release.Set();
        foreach (Task<int> served in calls.Take(5))
            Assert.Equal(Size, await Eventually.Ends(served));
    }

    /// <summary>Else a client could leave them there, come again, and leave as many once more.</summary>
    [Theory]
    [InlineData("order")]
    [InlineData("limit")]
    [InlineData("threads")]
    public async Task WhatWaitsGoesWithItsClientAndNotWhenItsTurnComes(string why)
    {
        using var entered = new SemaphoreSlim(0);
        using var release = new ManualResetEventSlim();
        int ran = 0;
        var ended = new Ended();
        var options = new RpcServerOptions
        {
            OrderedCalls = why == "order",
            MaxConcurrentCalls = why == "limit" ? 2 : 0,
            MaxThreads = why == "threads" ? 2 : 256,
        };
        options.Interceptors.Add(ended);
        RpcServer server = Hand.Serve(out string name, options, RpcHandler.Unary(Hand.Ask, number =>
        {
            Interlocked.Increment(ref ran);
            entered.Release();
            release.Wait(CancellationToken.None);
            return number;
        }));
        try
        {
            using RpcClient client = RpcClient.Connect(name);
            Task<int>[] calls = [.. Enumerable.Range(0, 5).Select(number => client.CallAsync(Hand.Ask, number).AsTask())];
            int running = why == "limit" ? 2 : 1;
            for (int i = 0; i < running; i++)
                Assert.True(await entered.WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken));
            Eventually.True(() => client.Session.Channel!.Engine.CountPending() == 5, "all are pending");
            client.Dispose();
            foreach (Task<int> call in calls)
                Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(call)).Status);
            Eventually.True(() => ended.Cancelled == 5 - running, "what waited has ended while the others run");
            Assert.Equal(running, Volatile.Read(ref ran));
        }
        finally
        {
            release.Set();
            server.Dispose();
        }
    }

    private sealed class Ended : RpcServerInterceptor
    {
        private int _cancelled;

        public int Cancelled => Volatile.Read(ref _cancelled);

        public override void Completed(RpcContext context, RpcStatus status, Exception? exception)
        {
            if (status is RpcStatus.Cancelled)
                Interlocked.Increment(ref _cancelled);
        }
    }
}
