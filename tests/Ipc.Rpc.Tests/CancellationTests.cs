using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Cancellation and deadlines: the caller goes on at once, the handler's token fires, a late reply meets nobody.</summary>
public sealed class CancellationTests
{
    [Fact]
    public async Task ACancelledAsynchronousCallEndsAndItsHandlersTokenFires()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        using var cancel = new CancellationTokenSource();
        ITestService service = TestServiceRpc.Client(client);
        Gate gate = server.Service.GateOf("a");
        Task<int> call = service.WaitAsync("a", cancel.Token).AsTask();
        Eventually.True(() => gate.Entered == 1, "the handler runs");
        cancel.Cancel();
        OperationCanceledException e = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
        Assert.Equal(cancel.Token, e.CancellationToken);
        Eventually.True(() => gate.Cancelled == 1, "the handler's token fires");
        ErrorTests.Lives(service);
    }

    [Fact]
    public async Task ACancelledSynchronousCallEndsAndItsBlockedHandlersTokenFires()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        using var cancel = new CancellationTokenSource();
        ITestService service = TestServiceRpc.Client(client);
        Gate gate = server.Service.GateOf("b");
        Task<int> call = Task.Run(() => service.Block("b", cancel.Token));
        Eventually.True(() => gate.Entered == 1, "the handler runs");
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
        Eventually.True(() => gate.Cancelled == 1, "the handler's token fires");
        ErrorTests.Lives(service);
    }

    [Fact]
    public async Task ACallThatWaitsForAnotherThreadsReadingIsCancelledToo()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        using var cancel = new CancellationTokenSource();
        ITestService service = TestServiceRpc.Client(client);
        Gate first = server.Service.GateOf("first");
        Gate second = server.Service.GateOf("second");
        Task<int> reader = Task.Run(() => service.Block("first"));
        Eventually.True(() => first.Entered == 1, "the first call waits");
        Task<int> other = Task.Run(() => service.Block("second", cancel.Token));
        Eventually.True(() => second.Entered == 1, "the second call waits");
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(other));
        first.Opened.Set();
        await Eventually.Ends(reader);
    }

    /// <summary>Which of two threads was faster must not decide what the caller is told: a cancel that was read has won.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ACancelledCallEndsAsCancelledWhateverItsHandlerDoesThen(bool throws)
    {
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(Hand.Ask, (number, cancel) => Ignore(cancel, number)),
            RpcHandler.UnaryAsync(Hand.Other, async (number, cancel) =>
            {
                await Task.Yield();
                return Ignore(cancel, number);
            }),
            RpcHandler.Duplex(Hand.Scale, (number, items, cancel) => Stream(cancel)));
        using var client = new RawClient(name);
        ulong call = 0;
        foreach (FrameHeader request in new[] { Hand.Request(Hand.Ask, 1), Hand.Request(Hand.Other, 2), Hand.Request(Hand.Scale, 3, credit: 5) })
        {
            client.Send(request, Hand.Bytes(5));
            client.Send(new FrameHeader(FrameKind.Cancel, request.Call));
            if (request.CallKind == RpcMethodKind.Duplex)
                client.Send(new FrameHeader(FrameKind.End, request.Call));
            FrameHeader answer = client.Receive();
            Assert.Equal((++call, FrameKind.Error, (ushort)RpcStatus.Cancelled), (answer.Call, answer.Kind, answer.Code));
        }

        int Ignore(CancellationToken cancel, int number)
        {
            cancel.WaitHandle.WaitOne();
            return throws ? throw new InvalidOperationException("too late") : number;
        }

        async IAsyncEnumerable<int> Stream([EnumeratorCancellation] CancellationToken cancel)
        {
            await Task.Yield();
            Ignore(cancel, 0);
            yield break;
        }
    }

    [Fact]
    public void AnAnswerAfterTheDeadlineIsTheDeadlines()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static (number, _) =>
        {
            SpinWait.SpinUntil(static () => RpcContext.Current!.Deadline.HasPassed);
            return number;
        }));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Ask, 1, deadline: Deadline.After(TimeSpan.FromMilliseconds(100)).Nanoseconds), Hand.Bytes(5));
        FrameHeader answer = client.Receive();
        Assert.Equal((FrameKind.Error, (ushort)RpcStatus.DeadlineExceeded), (answer.Kind, answer.Code));
    }

    [Fact]
    public async Task ALateReplyIsDropped()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        ITestService hurried = TestServiceRpc.Client(client.WithTimeout(TimeSpan.FromMilliseconds(30)));
        Gate gate = server.Service.GateOf("late");
        for (int i = 0; i < 5; i++)
        {
            // The handler does not look at its token: its answer comes after the caller has gone, into a slot that is used again.
            Task<int> call = Task.Run(() => hurried.Throw("argument"));
            await Assert.ThrowsAsync<RpcCallException>(() => Eventually.Ends(call));
            Assert.Equal(RpcStatus.DeadlineExceeded, Assert.Throws<RpcCallException>(() => hurried.Block("late")).Status);
            Assert.Equal(i, service.Add(i, 0));
        }

        gate.Opened.Set();
        for (int i = 0; i < 100; i++)
            Assert.Equal(i + 1, await service.AddAsync(i, 1));
    }

    [Fact]
    public async Task ADeadlineEndsASynchronousCallAndTellsItsHandler()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        Gate gate = server.Service.GateOf("c");
        RpcCallException e = await Eventually.Overruns(timeout => Task.Run(() => TestServiceRpc.Client(client.WithTimeout(timeout)).Block("c")), () => gate.Entered > 0);
        Assert.Contains("test.v1/Block", e.Message, StringComparison.Ordinal);
        Eventually.True(() => gate.Cancelled == gate.Entered, "the handler's token fires");
        ErrorTests.Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public async Task ADeadlineEndsAnAsynchronousCallThatNobodyWaitsFor()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService patient = TestServiceRpc.Client(client.WithTimeout(Eventually.Watchdog));
        Gate gate = server.Service.GateOf("d");
        Task<int> late = patient.WaitAsync("d").AsTask();
        Eventually.True(() => gate.Entered == 1, "the patient call's handler runs");
        await Eventually.Overruns(timeout => TestServiceRpc.Client(client.WithTimeout(timeout)).WaitAsync("d").AsTask(), () => gate.Entered > 1);
        Eventually.True(() => gate.Cancelled == gate.Entered - 1, "the handler's token fires");
        Assert.False(late.IsCompleted);
        gate.Opened.Set();
        await Eventually.Ends(late);
    }

    [Fact]
    public void ACallWithoutTimeLeftDoesNotReachTheHandler()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client.WithTimeout(TimeSpan.Zero));
        Assert.Equal(RpcStatus.DeadlineExceeded, Assert.Throws<RpcCallException>(() => service.Block("never")).Status);
        ErrorTests.Lives(TestServiceRpc.Client(client));
        Assert.Equal(0, server.Service.GateOf("never").Entered);
    }

    [Fact]
    public async Task ATokenThatHasFiredSendsNothing()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        using var cancel = new CancellationTokenSource();
        cancel.Cancel();
        ITestService service = TestServiceRpc.Client(client);
        Assert.Throws<OperationCanceledException>(() => service.Block("unsent", cancel.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await service.WaitAsync("unsent", cancel.Token));
        ErrorTests.Lives(service);
        Assert.Equal(0, server.Service.GateOf("unsent").Entered);
    }

    [Fact]
    public async Task AHandlersOwnCallsInheritItsDeadline()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        Assert.Equal(-1, await TestServiceRpc.Client(client).RemainingAsync());
        double remaining = await TestServiceRpc.Client(client.WithTimeout(TimeSpan.FromSeconds(10))).RemainingAsync();
        Assert.InRange(remaining, 1, 10_000);
        Assert.Equal(-1, await TestServiceRpc.Client(client).RemainingAsync());
        Assert.Equal(Deadline.Never, RpcDeadline.Current);
    }

    [Fact]
    public async Task ManyCallsAreCancelledAndCompletedAtOnceAndNoneIsMixedUp()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        for (int round = 0; round < 300; round++)
        {
            using var cancel = new CancellationTokenSource();
            var calls = new Task<int>[8];
            for (int i = 0; i < calls.Length; i++)
                calls[i] = service.AddAsync(round, i, cancel.Token).AsTask();
            cancel.Cancel();
            for (int i = 0; i < calls.Length; i++)
            {
                try
                {
                    Assert.Equal(round + i, await Eventually.Ends(calls[i]));
                }
                catch (OperationCanceledException)
                {
                    // as good: the cancellation was first
                }
            }

            Assert.Equal(round, service.Add(round, 0));
        }
    }
}
