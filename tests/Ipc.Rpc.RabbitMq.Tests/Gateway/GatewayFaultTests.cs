using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>One of those goes whom a call passes.</summary>
public sealed class GatewayFaultTests(BrokerProcess broker) : GatewayTest(broker)
{
    private static readonly TimeSpan _soon = TimeSpan.FromSeconds(20);

    /// <summary>The request was with the server that is killed: the next one gets it, and answers.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ACallOfAServerThatIsKilledIsAnsweredByTheNext(bool isCpp)
    {
        using OtherProcess server = Server(isCpp, Here);
        RabbitMqExport export = Export();
        Serves(export);
        Serves(Import());
        using RpcClient client = RpcClient.Connect(There);
        ITests tests = TestsRpc.Client(client);
        Task<Blob> call = tests.SleepAsync(new SleepRequest { Ms = 1500 }, Cancel);
        Watchdog.Until(() => export.RequestsInHand == 1, "the request to be in hand");
        await Task.Delay(100, Cancel); // it is the server's by now
        server.Kill();
        await Task.Delay(300, Cancel);
        Assert.False(call.IsCompleted);
        using OtherProcess next = Server(!isCpp, Here);
        await call.WaitAsync(_soon, Cancel);
        Assert.True(export.Requests >= 2, "it came again");
    }

    [Fact]
    public async Task WhileThereIsNoServerOthersServe()
    {
        ConcurrentQueue<Farm.Handled> all = new();
        using RpcServer other = RpcServer.Start(Here + "-other", FarmRpc.Service(new Farm("other") { All = all }));
        ExportOptions.Grace = TimeSpan.FromMilliseconds(100);
        RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one") { All = all }));
        RabbitMqExport export = Export();
        Serves(export);
        Serves(Export(Here + "-other"));
        server.Dispose();
        Watchdog.Until(() => !export.IsServing && export.RequestsInHand == 0, "it to go from the broker");
        await Task.Delay(1000, Cancel); // its link ends within half a second after that
        IFarm client = (await ConnectAsync()).For<IFarm>();
        for (int i = 0; i < 50; i++)
            Assert.Equal("other", await client.DoAsync(i, Cancel).AsTask().WaitAsync(_soon, Cancel));
        using RpcServer again = RpcServer.Start(Here, FarmRpc.Service(new Farm("again") { All = all }));
        Serves(export);
        HashSet<string> names = [];
        Watchdog.Until(() => names.Add(client.DoAsync(1, Cancel).AsTask().GetAwaiter().GetResult()) && names.Count == 2, "both to serve");
    }

    /// <summary>A stream that has been begun is not begun again: so it does not begin where nobody is.</summary>
    [Fact]
    public async Task AStreamWaitsForTheServerToo()
    {
        ExportOptions.Grace = TimeSpan.FromSeconds(30);
        RpcServer server = RpcServer.Start(Here, TapRpc.Service(new Tap()));
        RabbitMqExport export = Export();
        Serves(export);
        ITap tap = (await ConnectAsync()).For<ITap>();
        server.Dispose();
        Task<int> sum = Task.Run(async () =>
        {
            int seen = 0;
            await foreach (int item in tap.Run(10, "", Cancel))
                seen++;
            return seen;
        });
        Watchdog.Until(() => export.RequestsInHand == 1 || sum.IsCompleted, "the request");
        await Task.Delay(200, Cancel);
        Assert.False(sum.IsCompleted);
        using RpcServer next = RpcServer.Start(Here, TapRpc.Service(new Tap()));
        Assert.Equal(10, await sum.WaitAsync(_soon, Cancel));
        Assert.Equal(1, export.Requests);
    }

    [Fact]
    public async Task AServerThatDoesNotLetTheGatewayInIsNone()
    {
        ConcurrentQueue<Farm.Handled> all = new();
        RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one") { All = all }));
        ExportOptions.Grace = TimeSpan.FromMilliseconds(1500);
        RabbitMqExport export = Export();
        Serves(export);
        IFarm farm = (await ConnectAsync()).For<IFarm>();
        server.Dispose();
        using (RpcServer.Start(Here, new RpcServerOptions { Accept = static _ => "not you" }, FarmRpc.Service(new Farm("other") { All = all })))
        {
            await farm.NoteAsync(1, Cancel);
            Says(() => export.Trouble?.Contains("not you", StringComparison.Ordinal) == true, () => export.Trouble);
            await Task.Delay(500, Cancel);
        }

        Assert.Equal((0, 0L), (all.Count, export.DeadLetters));
        using RpcServer next = RpcServer.Start(Here, FarmRpc.Service(new Farm("next") { All = all }));
        Watchdog.Until(() => all.Any(static one => one is { Number: 1, Name: "next" }), "the next one to get it");
        Assert.Equal(0, export.DeadLetters);
    }

    [Fact]
    public async Task AnImportThatWasFollowedServesAgainWhenTheOtherHasGone()
    {
        using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
        Serves(Export());
        RabbitMqImport first = Import();
        Serves(first);
        RabbitMqImport second = Import();
        Says(() => second.IsServing && !first.IsServing, () => first.Trouble + second.Trouble);
        await second.StopAsync(Patience);
        Serves(first);
        using RpcClient client = RpcClient.Connect(There);
        Assert.Equal("one", await client.For<IFarm>().DoAsync(1, Cancel));
        Assert.Equal(1, first.ConnectionCount);
    }

    [Fact]
    public async Task ANameWhoseFileWasRemovedIsServedAgain()
    {
        using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
        Serves(Export());
        RabbitMqImport import = Import();
        Serves(import);
        System.IO.File.Delete(SharedRegions.FileOf(There)); // as who cleans up too much
        using RpcClient client = RpcClient.Connect(There, new RpcClientOptions { ConnectTimeout = Patience });
        Assert.Equal("one", await client.For<IFarm>().DoAsync(1, Cancel));
    }

    [Fact]
    public async Task OneWayCallsThatDidNotGoAreCounted()
    {
        await HaveBrokerAloneAsync();
        using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
        Serves(Export());
        RabbitMqImport import = Import();
        Serves(import);
        using RpcClient client = RpcClient.Connect(There);
        Broker.Kill();
        Watchdog.Until(() => !import.IsServing, "it to notice");
        await client.For<IFarm>().NoteAsync(1, Cancel);
        Watchdog.Until(() => import.FailedOneWayCalls == 1, "it to be counted");
        Broker.Restart();
        Broker.WaitUntilReady();
    }

    [Fact]
    public async Task OneWayCallsWaitAtTheBrokerForTheServer()
    {
        ConcurrentQueue<Farm.Handled> all = new();
        ExportOptions.Grace = TimeSpan.Zero;
        RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one") { All = all }));
        RabbitMqExport export = Export();
        Serves(export);
        IFarm client = (await ConnectAsync()).For<IFarm>();
        server.Dispose();
        Watchdog.Until(() => !export.IsServing, "it to notice");
        for (int i = 0; i < 20; i++)
            await client.NoteAsync(i, Cancel);
        Assert.Empty(all);
        using RpcServer next = RpcServer.Start(Here, FarmRpc.Service(new Farm("next") { All = all }));
        Watchdog.Until(() => all.Select(static one => one.Number).Distinct().Count() == 20, "all to be handled");
        Assert.Equal(0, export.DeadLetters);
    }

    [Fact]
    public async Task AServerThatIsRestartedInGoodOrderFailsNoCall()
    {
        RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("0")));
        Serves(Export());
        Serves(Import());
        using RpcClient client = RpcClient.Connect(There);
        IFarm farm = client.For<IFarm>();
        using CancellationTokenSource over = new();
        int calls = 0;
        Task[] callers = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            while (!over.IsCancellationRequested)
            {
                await farm.DoAsync(Interlocked.Increment(ref calls), Cancel);
            }
        }))];
        for (int i = 1; i <= 5; i++)
        {
            int before = Volatile.Read(ref calls);
            Watchdog.Until(() => Volatile.Read(ref calls) > before + 100 || Array.Exists(callers, static caller => caller.IsCompleted), "calls");
            await server.StopAsync(Patience);
            server = RpcServer.Start(Here, FarmRpc.Service(new Farm("" + i)));
        }

        over.Cancel();
        await Task.WhenAll(callers).WaitAsync(Patience, Cancel);
        server.Dispose();
    }

    [Fact]
    public async Task AnImportStaysWhileTheBrokerIsAway()
    {
        await HaveBrokerAloneAsync();
        using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
        RabbitMqExport export = Export();
        RabbitMqImport import = Import();
        Serves(export);
        Serves(import);
        using RpcClient client = RpcClient.Connect(There);
        IFarm farm = client.For<IFarm>();
        Assert.Equal("one", await farm.DoAsync(1, Cancel));
        Broker.Kill();
        Watchdog.Until(() => !import.IsServing && !export.IsServing, "both to notice");
        await FailsAsync(RpcStatus.Unavailable, () => farm.DoAsync(2, Cancel).AsTask());
        Assert.True(client.IsConnected);
        Assert.DoesNotContain("guest:guest", import.Trouble + export.Trouble, StringComparison.Ordinal);
        Broker.Restart();
        Broker.WaitUntilReady();
        Serves(export);
        Serves(import);
        Assert.Equal("one", await farm.DoAsync(3, Cancel).AsTask().WaitAsync(_soon, Cancel));
    }

    [Fact]
    public async Task ALaterVersionsMethodsAreOfferedAndNoCallFailsForThat()
    {
        ImportOptions.Look = TimeSpan.FromSeconds(1);
        RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
        Serves(Export());
        RabbitMqImport import = Import();
        Serves(import);
        Assert.Equal(3, import.Methods);
        using RpcClient client = RpcClient.Connect(There, new RpcClientOptions { WaitForReady = true });
        IFarm farm = client.For<IFarm>();
        using CancellationTokenSource over = new();
        Task calls = Task.Run(async () =>
        {
            for (int i = 0; !over.IsCancellationRequested; i++)
                await farm.DoAsync(i, Cancel);
        });
        await server.StopAsync(Patience);
        Tap tap = new();
        server = RpcServer.Start(Here, FarmRpc.Service(new Farm("two")), TapRpc.Service(tap));
        Watchdog.Until(() => import.Methods > 3 || calls.IsCompleted, "the others to be offered");
        using RpcClient fresh = RpcClient.Connect(There);
        Assert.Equal(5, fresh.For<ITap>().Add(2, 3));
        Assert.Equal(5, client.For<ITap>().Add(2, 3));
        over.Cancel();
        await calls.WaitAsync(Patience, Cancel);
        server.Dispose();
    }

    [Fact]
    public async Task ANameThatSomebodyHasIsTakenWhenItIsFree()
    {
        using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
        using (RpcServer.Start(There, FarmRpc.Service(new Farm("somebody"))))
        {
            Serves(Export());
            RabbitMqImport import = Import();
            Says(() => import.Trouble?.Contains(There, StringComparison.Ordinal) == true, () => import.Trouble);
        }

        using RpcClient client = RpcClient.Connect(There, new RpcClientOptions { ConnectTimeout = Patience });
        Assert.Equal("one", await client.For<IFarm>().DoAsync(1, Cancel));
    }

    [Fact]
    public async Task ASecondImportTakesTheNameOver()
    {
        using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
        Serves(Export());
        RabbitMqImport first = Import();
        Serves(first);
        using RpcClient client = RpcClient.Connect(There, new RpcClientOptions { WaitForReady = true });
        IFarm farm = client.For<IFarm>();
        using CancellationTokenSource over = new();
        Task calls = Task.Run(async () =>
        {
            for (int i = 0; !over.IsCancellationRequested; i++)
                await farm.DoAsync(i, Cancel);
        });
        RabbitMqImport second = Import();
        Serves(second);
        Says(() => first.Trouble?.Contains("Another", StringComparison.Ordinal) == true, () => first.Trouble);
        long before = second.Requests;
        Watchdog.Until(() => second.Requests > before + 10, "calls through the second");
        over.Cancel();
        await calls.WaitAsync(Patience, Cancel);
    }

    /// <summary>A server that is stopped holds its requests, and nothing else: those of another export go on.</summary>
    [Fact]
    public async Task AServerThatDoesNotReadHoldsUpItsOwnRequestsOnly()
    {
        using OtherProcess stopped = Server(isCpp: true, Here);
        Serves(Export());
        using (stopped.Stop())
        {
            ITests tests = TestsRpc.Client((await ConnectAsync()).Caller.WithTimeout(TimeSpan.FromMilliseconds(500)));
            await FailsAsync(RpcStatus.DeadlineExceeded, () => tests.EchoAsync(new Blob { Data = [1] }, Cancel));
            using OtherProcess other = Server(isCpp: false, Here + "-other");
            Serves(Export(Here + "-other"));
            int well = 0;
            for (int i = 0; i < 20; i++)
            {
                try
                {
                    await tests.EchoAsync(new Blob { Data = [1] }, Cancel);
                    well++;
                }
                catch (RpcCallException e) when (e.Status == RpcStatus.DeadlineExceeded)
                {
                }
            }

            Assert.InRange(well, 5, 20); // the broker gives them in turn
        }
    }

    [Fact]
    public async Task WhatItDoesIsToldOnce()
    {
        ConcurrentQueue<RabbitMqGatewayChange> exported = new(), imported = new();
        ExportOptions.Changed = change =>
        {
            exported.Enqueue(change);
            throw new InvalidOperationException("the user's own");
        };
        ImportOptions.Changed = imported.Enqueue;
        ExportOptions.Grace = TimeSpan.Zero;
        RabbitMqExport export = Export();
        RabbitMqImport import = Import();
        Watchdog.Until(() => exported.Count == 1 && imported.Count == 1, "what is missing");
        RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
        Serves(export);
        Serves(import);
        server.Dispose();
        Watchdog.Until(() => !export.IsServing, "its end");
        Assert.Equal([false, true, false], exported.Select(static change => change.IsServing));
        Assert.All(exported, static change => Assert.Equal(change.IsServing, change.Reason is null));
        Assert.False(imported.First().IsServing);
        await export.DisposeAsync();
        await export.DisposeAsync();
        await import.StopAsync(Patience);
        await import.DisposeAsync();
    }

    /// <summary>What an interceptor on the way to the server throws ends its own call, and no other's connection, also when it cannot even be asked what it says.</summary>
    [Fact]
    public async Task WhatAnInterceptorThrowsEndsItsCallAlone()
    {
        ExportOptions.Local.Interceptors.Add(static inner => new Throwing(inner));
        using RpcServer server = RpcServer.Start(Here, TapRpc.Service(new Tap()));
        RabbitMqExport export = Export();
        Serves(export);
        ITap client = (await ConnectAsync()).For<ITap>();
        await FailsAsync(RpcStatus.Internal, () => Task.Run(() => client.Add(1, 2), Cancel));
        Assert.Equal(1, export.Requests);
        await using IAsyncEnumerator<int> items = client.Run(1, "", Cancel).GetAsyncEnumerator(Cancel);
        await FailsAsync(RpcStatus.Internal, () => items.MoveNextAsync().AsTask());
        Assert.Equal(2, export.Requests);
    }

    private sealed class Throwing(RpcCaller inner) : RpcForwardingCaller(inner)
    {
        public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default) =>
            throw new SpeechlessException();

        public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default) =>
            throw new SpeechlessException();
    }

#pragma warning disable CA1032, CA1064, CA1065 // that it throws is what it is for
    private sealed class SpeechlessException : Exception
    {
        public override string Message => throw new InvalidOperationException("no message");
    }
#pragma warning restore CA1032, CA1064, CA1065
}
