using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Asynchronous calls to a server that does not read: whoever makes one goes on, and each of them ends.</summary>
public sealed class QueuedCallTests
{
    private const int Ring = 4096; // some 60 requests

    /// <summary>Each way to start a call, until nothing more may wait: were one to wait for the server, the test would not end.</summary>
    [Theory]
    [InlineData("unary")]
    [InlineData("batch")]
    [InlineData("progress")]
    [InlineData("one-way")]
    [InlineData("stream")]
    [InlineData("client stream")]
    [InlineData("duplex")]
    public async Task AnAsynchronousCallNeverWaitsForAServerThatDoesNotRead(string shape)
    {
        using var server = new RawServer();
        using RpcClient client = Connect(server, new RpcClientOptions { ToServerCapacity = Ring, MaxQueuedBytes = 10_000 });
        var calls = new List<Task>();
        RpcCallException e = await Eventually.Ends(Task.Run(() => StartUntilRefused(client, shape, calls), TestContext.Current.CancellationToken));
        Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
        Assert.Contains("MaxQueuedBytes", e.Message, StringComparison.Ordinal);
        Assert.InRange(calls.Count, 150, 1000); // what the ring and the bound take
        client.Dispose();
        foreach (Task call in calls)
        {
            if (shape != "one-way" || !call.IsCompletedSuccessfully) // those in the ring have been sent
                Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(call)).Status);
        }
    }

    [Theory]
    [InlineData("deadline", false)]
    [InlineData("deadline", true)]
    [InlineData("token", false)]
    [InlineData("token", true)]
    [InlineData("disposal", false)]
    [InlineData("disposal", true)]
    [InlineData("death", false)]
    [InlineData("death", true)]
    public async Task WhatIsQueuedEnds(string by, bool oneWay)
    {
        var server = new RawServer();
        using RpcClient client = Connect(server, new RpcClientOptions { ToServerCapacity = Ring, AutoReconnect = false });
        using var cancel = new CancellationTokenSource();
        try
        {
            List<Task> before = Fill(client);
            RpcClient caller = by == "deadline" ? client.WithTimeout(TimeSpan.FromMilliseconds(20)) : client;
            Task[] calls = Enumerable.Range(0, 20).Select(number => Start(caller, oneWay ? "one-way" : "unary", number, cancel.Token)).ToArray();
            switch (by)
            {
                case "token":
                    await cancel.CancelAsync();
                    break;
                case "disposal":
                    client.Dispose();
                    break;
                case "death":
                    server.Dispose();
                    break;
            }

            foreach (Task call in calls)
            {
                if (by == "token")
                    await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
                else
                    Assert.Equal(by == "deadline" ? RpcStatus.DeadlineExceeded : RpcStatus.Unavailable, (await Eventually.Fails(call)).Status);
            }

            if (by is "disposal" or "death")
                return;

            // The server has not heard of them, and hears of those before them.
            int left = before.Count;
            while (left != 0)
            {
                FrameHeader header = server.Receive(out byte[] body);
                Assert.Equal(FrameKind.Request, header.Kind);
                Assert.Equal(before.Count - left--, Hand.Value(body));
            }

            Assert.Equal(0, Registrations.Count(cancel));
            Task<int> next = client.CallAsync(Hand.Ask, 12345).AsTask();
            FrameHeader request = server.Receive(out byte[] last);
            Assert.Equal(12345, Hand.Value(last));
            server.Send(new FrameHeader(FrameKind.Response, request.Call), Hand.Bytes(6));
            Assert.Equal(6, await Eventually.Ends(next));
        }
        finally
        {
            server.Dispose();
        }
    }

    /// <summary>Of any kind, and whether their threads wait or not.</summary>
    [Fact]
    public async Task RequestsKeepTheirOrderBehindAFullRing()
    {
        using var server = new RawServer();
        using RpcClient client = Connect(server, new RpcClientOptions { ToServerCapacity = Ring });
        var tasks = new List<Task>();
        for (int i = 0; i < 300; i++)
            tasks.Add(Start(client, i % 3 == 0 ? "one-way" : i % 3 == 1 ? "progress" : "unary", i, default));
        Task waits = Task.Run(() => client.Notify(Hand.Tell, 300), TestContext.Current.CancellationToken);
        for (int i = 0; i <= 300; i++)
        {
            FrameHeader header = server.Receive(out byte[] body);
            Assert.Equal(i, Hand.Value(body));
            if (!header.IsOneWay)
                server.Send(new FrameHeader(FrameKind.Response, header.Call), Hand.Bytes(i));
        }

        await Eventually.Ends(waits);
        foreach (Task task in tasks)
            await Eventually.Ends(task);
    }

    /// <summary>A thread that waits for room had the lock that the others need to leave theirs.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task OneThatWaitsForRoomHoldsUpNobody(bool call)
    {
        using var server = new RawServer();
        using RpcClient client = Connect(server, new RpcClientOptions { ToServerCapacity = Ring });
        Fill(client);
        Task[] waiting = Enumerable.Range(0, 3).Select(_ => Task.Run(() =>
        {
            if (call)
                client.Call(Hand.Ask, 1);
            else
                client.Notify(Hand.Tell, 1);
        })).ToArray();
        var calls = new List<Task>();
        await Eventually.Ends(Task.Run(() =>
        {
            for (int i = 0; i < 1000; i++)
                calls.Add(client.CallAsync(Hand.Ask, i).AsTask());
        }, TestContext.Current.CancellationToken));
        Assert.All(waiting, static task => Assert.False(task.IsCompleted));
        client.Dispose();
        foreach (Task each in calls)
            Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(each)).Status);
        foreach (Task each in waiting)
        {
            Exception e = await Assert.ThrowsAnyAsync<Exception>(() => Eventually.Ends(each));
            Assert.True(e is RpcCallException { Status: RpcStatus.Unavailable } or ObjectDisposedException, e.ToString()); // some may not have begun
        }
    }

    /// <summary>A thread that waits with its request may be told not to.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ASynchronousCallWaitsForRoomNoLongerThanItMay(bool call)
    {
        using var server = new RawServer();
        using RpcClient client = Connect(server, new RpcClientOptions { ToServerCapacity = Ring, MaxQueuedBytes = 0 });
        RpcClient brief = client.WithTimeout(TimeSpan.FromMilliseconds(20));
        RpcCallException? e = null;
        for (int i = 0; i < 100 && e is null; i++)
            e = Record.Exception(() => brief.Notify(Hand.Tell, i)) as RpcCallException;
        Assert.Equal(RpcStatus.DeadlineExceeded, e!.Status);
        if (!call)
            return;

        Assert.Equal(RpcStatus.DeadlineExceeded, Assert.Throws<RpcCallException>(() => brief.Call(Hand.Ask, 1)).Status);
        using var cancel = new CancellationTokenSource(20);
        Assert.ThrowsAny<OperationCanceledException>(() => client.Call(Hand.Ask, 1, cancel.Token));
    }

    /// <summary>The end of a stream without items needs no more room than there may be behind a request that waits for more.</summary>
    [Fact]
    public async Task TheEndOfAStreamDoesNotOvertakeItsRequest()
    {
        using var server = new RawServer();
        using RpcClient client = Connect(server, new RpcClientOptions { ToServerCapacity = Ring });
        List<Task> before = Fill(client);
        Task<int> sum = client.ClientStream(Hand.Sum, 7, new Source(0)).AsTask();
        for (int i = 0; i < before.Count; i++)
            Assert.Equal(FrameKind.Request, server.Receive().Kind);
        FrameHeader request = server.Receive();
        Assert.Equal((FrameKind.Request, Hand.Sum.Id), (request.Kind, request.Method));
        FrameHeader end = server.Receive();
        Assert.Equal((FrameKind.End, request.Call), (end.Kind, end.Call));
        server.Send(new FrameHeader(FrameKind.Response, request.Call), Hand.Bytes(7));
        Assert.Equal(7, await Eventually.Ends(sum));
    }

    /// <summary>The other direction: a handler that calls back a client that does not read. Its calls are not what the client is cut off for.</summary>
    [Theory]
    [InlineData("unary")]
    [InlineData("one-way")]
    [InlineData("client stream")]
    public async Task AHandlersAsynchronousCallDoesNotWaitForItsClient(string shape)
    {
        var calls = new List<Task>();
        var refused = new TaskCompletionSource<RpcCallException>(TaskCreationOptions.RunContinuationsAsynchronously);
        using RpcServer server = Hand.Serve(
            out string name, new RpcServerOptions { MaxUnsentBytes = 20_000 }, RpcHandler.Unary(Hand.Other, number =>
            {
                refused.SetResult(StartUntilRefused(RpcContext.Current!.Caller, shape, calls));
                return number;
            }));
        using var client = new RawClient(name, Ring);
        client.Send(Hand.Request(Hand.Other, 1), Hand.Bytes(1));
        RpcCallException e = await Eventually.Ends(refused.Task);
        Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
        int requests = 0;
        FrameHeader next = client.Receive();
        for (; next.Kind != FrameKind.Response; next = client.Receive())
            requests += next.Kind == FrameKind.Request ? 1 : 0;
        Assert.Equal((calls.Count, 1UL), (requests, next.Call));
    }

    private static RpcClient Connect(RawServer server, RpcClientOptions options)
    {
        Task accepting = server.AcceptAside();
        RpcClient client = RpcClient.Connect(server.Name, options);
        accepting.Wait();
        return client;
    }

    /// <summary>Calls until the first one has to wait for room.</summary>
    private static List<Task> Fill(RpcClient client)
    {
        var calls = new List<Task>();
        while (!client.Session.Channel!.HasQueued)
            calls.Add(client.CallAsync(Hand.Ask, calls.Count).AsTask());
        return calls;
    }

    /// <summary>Calls until one is not accepted any more, and says why.</summary>
    internal static RpcCallException StartUntilRefused(RpcCaller caller, string shape, List<Task> calls, CancellationToken cancel = default)
    {
        using RpcBatch? batch = shape == "batch" ? ((RpcClient)caller).Batch() : null;
        try
        {
            while (true)
            {
                Task call = Start(caller, shape, calls.Count, cancel);
                if (call.IsFaulted && call.Exception.InnerException is RpcCallException { Status: RpcStatus.ResourceExhausted } e)
                    return e;
                calls.Add(call);
            }
        }
        catch (RpcCallException e)
        {
            return e;
        }
    }

    /// <summary>One call of any shape.</summary>
    internal static Task Start(RpcCaller caller, string shape, int number, CancellationToken cancel) => shape switch
    {
        "unary" or "batch" => caller.CallAsync(Hand.Ask, number, cancel).AsTask(),
        "progress" => caller.CallAsync(Hand.Work, number, new Progress<int>(), cancel).AsTask(),
        "one-way" => caller.NotifyAsync(Hand.Tell, number, cancel).AsTask(),
        "stream" => caller.Stream(Hand.Items, number, cancel).GetAsyncEnumerator(cancel).MoveNextAsync().AsTask(),
        "client stream" => caller.ClientStream(Hand.Sum, number, new Source(3), cancel).AsTask(),
        _ => caller.Duplex(Hand.Scale, number, new Source(3), cancel).GetAsyncEnumerator(cancel).MoveNextAsync().AsTask(),
    };
}
