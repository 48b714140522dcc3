using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A connection whose requests hold up others is read by a thread of its own.</summary>
/// <remarks>In the tests with <see cref="Eager"/> every request counts as long, so that connections go aside, and come back, at every opportunity. That takes a
/// processor that nobody else uses: beside tests that took both, one of these went on for 75 s, until a connection had gone aside ten times.</remarks>
[Collection(nameof(Alone))]
public sealed class AsideTests
{
    private const string OneProcessor = "with one processor nothing is ever read aside";

    public static bool HasOneProcessor => Environment.ProcessorCount == 1;

    private static RpcServerOptions Eager => new() { LongTurn = TimeSpan.Zero };

    private static RpcServerOptions EagerAndOrdered => new() { LongTurn = TimeSpan.Zero, OrderedCalls = true };

    [Fact(Skip = OneProcessor, SkipWhen = nameof(HasOneProcessor))]
    public async Task HandlersOfTwoClientsThatComputeRunSideBySide()
    {
        // 200 us are far below what the standby notices.
        Overlap overlap = new();
        RpcMethod<RpcEmpty, RpcEmpty> method = new("aside.v1", "Compute", RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec);
        using RpcServer server = RpcServer.Start(TestServer.NewName(), new RpcService("aside.v1", [RpcHandler.Unary(method, (RpcEmpty request, CancellationToken _) =>
        {
            overlap.Compute(TimeSpan.FromTicks(2000));
            return request;
        })]));
        using RpcClient one = RpcClient.Connect(server.Name);
        using RpcClient two = RpcClient.Connect(server.Name);
        using Callers callers = new(() => one.Call(method, default), () => two.Call(method, default));
        Eventually.True(() => server.AsideCount > 0 && overlap.Count >= 50, "handlers overlap");
        await callers.End();
    }

    [Fact(Skip = OneProcessor, SkipWhen = nameof(HasOneProcessor))]
    public async Task HandlersThatAreQuickAreServedByOneThread()
    {
        using var server = new TestServer(new RpcServerOptions { LongTurn = TimeSpan.FromMinutes(1) });
        await CallFromTwo(server, 2_000);
        Assert.Equal(0, server.Server.AsideCount);
    }

    [Fact(Skip = OneProcessor, SkipWhen = nameof(HasOneProcessor))]
    public async Task AnswersGoToTheirCallersWhereverTheyAreMade()
    {
        using var server = new TestServer(Eager);
        for (int round = 0; round < 10 || (server.Server.AsideCount < 10 && round < 1000); round++)
            await CallFromTwo(server, 2_000);
        Assert.True(server.Server.AsideCount >= 10, "connections went aside " + server.Server.AsideCount + " times");
    }

    [Fact(Skip = OneProcessor, SkipWhen = nameof(HasOneProcessor))]
    public async Task AHandlerThatBlocksAsideHoldsUpNeitherOtherConnectionsNorItsOwn()
    {
        using var server = new TestServer(Eager);
        using RpcClient one = server.Connect();
        using RpcClient two = server.Connect();
        for (int round = 0; round < 20; round++)
        {
            string name = "round " + round;
            Gate gate = server.Service.GateOf(name);
            Task<int> blocked;
            using (Callers callers = new(() => Add(one), () => Add(two)))
            {
                int before = server.Server.AsideCount;
                Eventually.True(() => server.Server.AsideCount > before, "a connection goes aside");
                blocked = TestServiceRpc.Client(one).BlockAsync(name).AsTask();
                Eventually.True(() => gate.Entered == 1, "the handler blocks");
                await callers.End();
            }

            ErrorTests.Lives(TestServiceRpc.Client(one));
            ErrorTests.Lives(TestServiceRpc.Client(two));
            gate.Opened.Set();
            Assert.Equal(1, await Eventually.Ends(blocked));
        }
    }

    [Fact(Skip = OneProcessor, SkipWhen = nameof(HasOneProcessor))]
    public async Task CallsOfAConnectionStayInOrderWhereItIsReadByManyThreads()
    {
        List<int> seen = new();
        RpcMethod<Message, Message> method = new("order.v1", "Next", RpcMethodKind.Unary, TestServiceRpc.Echo.Request, TestServiceRpc.Echo.Response);
        using RpcServer server = RpcServer.Start(TestServer.NewName(), EagerAndOrdered, new RpcService("order.v1", [RpcHandler.Unary(method, (Message request, CancellationToken _) =>
        {
            if (request.Number >= 0)
                seen.Add((int)request.Number); // one connection's: no two at once
            return request;
        })]));
        using RpcClient ordered = RpcClient.Connect(server.Name);
        using RpcClient other = RpcClient.Connect(server.Name);
        using Callers callers = new(() => other.Call(method, new Message { Number = -1 }));
        for (int i = 0; i < 20_000 || (server.AsideCount < 10 && i < 2_000_000);)
        {
            Task<Message>[] some = Enumerable.Range(0, 16).Select(_ => ordered.CallAsync(method, new Message { Number = i++ }).AsTask()).ToArray();
            await Eventually.Ends(Task.WhenAll(some));
        }

        await callers.End();
        Assert.True(server.AsideCount >= 10, "connections went aside " + server.AsideCount + " times");
        Assert.Equal(Enumerable.Range(0, seen.Count), seen);
    }

    [Fact(Skip = OneProcessor, SkipWhen = nameof(HasOneProcessor))]
    public async Task AServerIsDisposedWhileConnectionsAreReadAside()
    {
        RpcClientOptions options = new() { ConnectTimeout = TimeSpan.FromSeconds(1) }; // no server comes after the one that goes
        for (int round = 0; round < 10; round++)
        {
            using var server = new TestServer(Eager);
            using RpcClient one = server.Connect(options);
            using RpcClient two = server.Connect(options);
            using Callers callers = new(() => Add(one), () => Add(two));
            Eventually.True(() => server.Server.AsideCount > 0, "a connection goes aside");
            server.Dispose();
            Assert.True(server.Server.Completion.IsCompletedSuccessfully);
            await callers.Fail(RpcStatus.Unavailable, RpcStatus.Unauthenticated); // the server went, or who connected again at once was refused
        }
    }

    [Fact(Skip = OneProcessor, SkipWhen = nameof(HasOneProcessor))]
    public async Task ClientsComeAndGoWhileTheyAreReadAside()
    {
        using var server = new TestServer(Eager);
        using RpcClient stays = server.Connect();
        using Callers callers = new(() => Add(stays));
        for (int round = 0; round < 200; round++)
        {
            using RpcClient goes = server.Connect();
            for (int i = 0; i < 50; i++)
                Add(goes);
        }

        await callers.End();
        Eventually.True(() => server.Server.ConnectionCount == 1, "the server has forgotten those that went");
    }

    [Fact(Skip = OneProcessor, SkipWhen = nameof(HasOneProcessor))]
    public async Task ClientsThatAreKilledWhileTheyAreReadAsideLeaveNothing()
    {
        using var server = new TestServer(Eager);
        using RpcClient stays = server.Connect();
        using Callers callers = new(() => Add(stays));
        for (int round = 0; round < 10; round++)
        {
            int before = server.Server.AsideCount;
            using var goes = Peer.Start("call", server.Name, "100000000");
            Eventually.True(() => server.Server.AsideCount >= before + 20, "the connections go aside");
            goes.Kill();
            Eventually.True(() => server.Server.ConnectionCount == 1, "the server has forgotten who was killed");
        }

        await callers.End();
    }

    private static void Add(RpcClient client) => Assert.Equal(5, TestServiceRpc.Client(client).Add(2, 3));

    private static async Task CallFromTwo(TestServer server, int calls)
    {
        using RpcClient one = server.Connect();
        using RpcClient two = server.Connect();
        await Eventually.Ends(Task.WhenAll(Call(one, 1), Call(two, 1_000_000)));

        Task Call(RpcClient client, int first) => Task.Run(() =>
        {
            ITestService service = TestServiceRpc.Client(client);
            for (int i = 0; i < calls; i++)
                Assert.Equal(first + i, service.Add(first, i));
        });
    }

    /// <summary>How often two were inside at once.</summary>
    private sealed class Overlap
    {
        private int _inside;
        private int _count;

        public int Count => Volatile.Read(ref _count);

        public void Compute(TimeSpan time)
        {
            if (Interlocked.Increment(ref _inside) > 1)
                Interlocked.Increment(ref _count);
            var clock = Stopwatch.StartNew();
            while (clock.Elapsed < time)
                Thread.SpinWait(10);
            Interlocked.Decrement(ref _inside);
        }
    }

    /// <summary>Threads that call again and again.</summary>
    private sealed class Callers : IDisposable
    {
        private readonly CancellationTokenSource _end = new();
        private readonly Task[] _tasks;

        public Callers(params Action[] calls)
            => _tasks = calls.Select(call => Task.Factory.StartNew(() => Repeat(call), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToArray();

        public async Task End()
        {
            _end.Cancel();
            await Eventually.Ends(Task.WhenAll(_tasks));
        }

        public async Task Fail(params RpcStatus[] statuses)
        {
            foreach (Task task in _tasks)
                Assert.Contains((await Eventually.Fails(task)).Status, statuses);
        }

        public void Dispose()
        {
            _end.Cancel();
            _end.Dispose();
        }

        private void Repeat(Action call)
        {
            while (!_end.IsCancellationRequested)
                call();
        }
    }
}
