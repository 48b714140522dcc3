using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

#pragma warning disable CA2012 // calls that are sent first and awaited once each, later

namespace Ipc.Rpc.Tests;

/// <summary>What stands around a client's calls: interceptors, connection events, the handlers in which calls are made.</summary>
public sealed class ClientViewTests
{
    [Fact]
    public async Task InterceptorsStandAroundEveryCallTheFirstOneOutermost()
    {
        var log = new ConcurrentQueue<string>();
        var options = new RpcClientOptions();
        options.Interceptors.Add(inner => new Logging("a", inner, log));
        options.Interceptors.Add(inner => new Logging("b", inner, log));
        using var server = new ShapeServer(options);
        ITestService service = TestServiceRpc.Client(server.Client);
        Assert.Equal(3, service.Add(1, 2));
        Assert.Equal("a Add,b Add", Take());
        Assert.Equal(3, await service.AddAsync(1, 2));
        Assert.Equal("a Add,b Add", Take());
        Assert.Equal(0, server.Client.With(new RpcMetadata()).WithTimeout(TimeSpan.FromSeconds(20)).Call(Shapes.Meta, 0));
        Assert.Equal("a Meta,b Meta", Take());
        server.Client.Notify(Shapes.Notice, 1);
        Assert.Equal("a Notice,b Notice", Take());
        Assert.Equal(3, await service.Count(0, 3).CountAsync());
        Assert.Equal("a Count,b Count", Take());
        Assert.Equal(3, await server.Client.ClientStream(Shapes.Sum, 0, new Source(2)));
        Assert.Equal(2, await server.Client.Duplex(Shapes.Shift, 0, new Source(2)).CountAsync());
        Assert.Equal(2, await server.Client.CallAsync(Shapes.Work, 2, new Progress<int>()));
        Assert.Equal("a Sum,b Sum,a Shift,b Shift,a Work,b Work", Take());

        string Take()
        {
            string text = string.Join(",", log);
            log.Clear();
            return text;
        }
    }

    [Fact]
    public async Task LossAndReturnOfTheServerAreToldWithoutACall()
    {
        string name = TestServer.NewName();
        var changes = new ConcurrentQueue<RpcConnectionChangedEventArgs>();
        using var first = Peer.Start("serve", name);
        using RpcClient client = RpcClient.Connect(name);
        client.ConnectionChanged += (sender, change) =>
        {
            Assert.Same(client, sender);
            changes.Enqueue(change);
        };
        ITestService service = TestServiceRpc.Client(client);
        for (int i = 0; i < 1000; i++)
            Assert.Equal(i + 1, service.Add(i, 1)); // callers and the thread that watches take turns
        Assert.Equal(3, await service.AddAsync(1, 2));
        Assert.Empty(changes);

        first.Kill();
        Eventually.True(() => changes.Count == 1, "the loss is told");
        Assert.True(changes.TryDequeue(out RpcConnectionChangedEventArgs? lost));
        Assert.Equal(RpcConnectionChangeKind.Lost, lost.Kind);
        Assert.Equal(first.Id, lost.ServerProcessId);
        Assert.Contains("died", lost.Reason, StringComparison.Ordinal);

        using var second = Peer.Start("serve", name);
        Eventually.True(() => Lives(service), "the client has connected again");
        Eventually.True(() => changes.Count == 1, "the return is told");
        Assert.True(changes.TryDequeue(out RpcConnectionChangedEventArgs? back));
        Assert.Equal(RpcConnectionChangeKind.Connected, back.Kind);
        Assert.Equal(second.Id, back.ServerProcessId);
        second.Kill();
        Eventually.True(() => changes.Count == 1, "the second loss is told");
    }

    [Fact]
    public async Task ACallInsideAHandlerEndsWithIt()
    {
        using var inner = new ShapeServer();
        string name = TestServer.NewName();
        var pass = new RpcMethod<int, int>("pass.v1", "Pass", RpcMethodKind.Unary, Shapes.Number, Shapes.Number);
        var passAsync = new RpcMethod<int, int>("pass.v1", "PassAsync", RpcMethodKind.Unary, Shapes.Number, Shapes.Number);
        using RpcServer server = RpcServer.Start(name, new RpcService("pass.v1", new[]
        {
            RpcHandler.Unary(pass, (number, _) => inner.Client.CallAsync(Shapes.Work, number, new Progress<int>(), CancellationToken.None).AsTask().GetAwaiter().GetResult()),
            RpcHandler.UnaryAsync(passAsync, async (number, _) =>
            {
                await Task.Yield();
                return await inner.Client.CallAsync(Shapes.Work, number, new Progress<int>(), CancellationToken.None);
            }),
        }));
        using RpcClient client = RpcClient.Connect(name);
        foreach (RpcMethod<int, int> method in new[] { pass, passAsync })
        {
            Assert.Equal(3, client.Call(method, 3));
            int done = inner.Shapes.Working - inner.Shapes.Cancelled;
            using var cancellationToken = new CancellationTokenSource();
            int before = inner.Shapes.Working;
            Task<int> call = client.CallAsync(method, -1, cancellationToken.Token).AsTask();
            Eventually.True(() => inner.Shapes.Working > before, "the innermost handler runs");
            cancellationToken.Cancel();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
            Eventually.True(() => inner.Shapes.Working - inner.Shapes.Cancelled == done, "the innermost handler is cancelled with the outermost call");

            before = inner.Shapes.Working;
            await Eventually.Overruns(timeout => client.WithTimeout(timeout).CallAsync(method, -1).AsTask(), () => inner.Shapes.Working > before);
            Eventually.True(() => inner.Shapes.Working - inner.Shapes.Cancelled == done, "the deadline travels");
        }
    }

    [Fact]
    public async Task ADeadlineHoldsForCallsAndStreamsAndReachesTheirHandlers()
    {
        using var server = new ShapeServer();
        RpcClient later = server.Client.WithDeadline(Deadline.After(TimeSpan.FromMinutes(10)));
        Assert.InRange(await TestServiceRpc.Client(later).RemainingAsync(), 1, 600_000);
        Assert.InRange(await TestServiceRpc.Client(later.WithTimeout(TimeSpan.FromMinutes(5))).RemainingAsync(), 1, 300_000); // whichever is earlier
        Assert.Equal(-1, await TestServiceRpc.Client(later.WithDeadline(Deadline.Never)).RemainingAsync());
        Assert.Equal(3, await TestServiceRpc.Client(later).Count(0, 3).CountAsync());

        await Eventually.Overruns(
            timeout => server.Client.WithDeadline(Deadline.After(timeout)).CallAsync(Shapes.Work, -1, new Progress<int>()).AsTask(),
            () => server.Shapes.Working > 0);
        Eventually.True(() => server.Shapes.Cancelled == server.Shapes.Working, "the handler's token fires");

        int begun = server.Shapes.Begun, ended = server.Shapes.Ended;
        await Eventually.Overruns(
            timeout => server.Client.WithDeadline(Deadline.After(timeout)).Duplex(Shapes.Shift, 0, Waiting()).CountAsync().AsTask(),
            () => server.Shapes.Begun > begun);
        Eventually.True(() => server.Shapes.Ended - ended == server.Shapes.Begun - begun, "the stream's, too");

        static Source Waiting() => new(-1, static (_, cancel) => new ValueTask(Task.Delay(Timeout.Infinite, cancel)));
    }

    [Fact]
    public async Task AStreamWaitsForItsServerNoLongerThanItsDeadline()
    {
        using RpcClient client = RpcClient.Create(TestServer.NewName(), new RpcClientOptions { WaitForReady = true });
        RpcClient brief = client.WithDeadline(Deadline.After(TimeSpan.FromMilliseconds(20)));
        RpcCallException late = await Assert.ThrowsAsync<RpcCallException>(() => Eventually.Ends(TestServiceRpc.Client(brief).Count(0, 3).CountAsync().AsTask()));
        Assert.Equal(RpcStatus.DeadlineExceeded, late.Status);
        late = await Assert.ThrowsAsync<RpcCallException>(() => Eventually.Ends(brief.Duplex(Shapes.Shift, 0, AsyncEnumerable.Empty<int>()).CountAsync().AsTask()));
        Assert.Equal(RpcStatus.DeadlineExceeded, late.Status);
    }

    [Fact]
    public async Task AReplyThatCameInTimeIsNotOverdueBecauseNobodyLooked()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        for (int ms = 250; ; ms *= 2)
        {
            ValueTask<int> call = client.WithTimeout(TimeSpan.FromMilliseconds(ms)).CallAsync(Shapes.Fail, 1);
            if (server.TryAnswerInTime(RawClient.Varint(1, 7), out Deadline deadline))
            {
                Eventually.True(() => deadline.HasPassed, "the deadline has passed");
                Assert.Equal(7, await Eventually.Ends(call.AsTask()));
                return;
            }

            await Eventually.Over(call.AsTask()); // the machine was busy
        }
    }

    [Fact]
    public async Task AskingAgainAndAgainIsAsGoodAsAwaiting()
    {
        using var server = new ShapeServer(new RpcClientOptions { WaitMode = WaitMode.Block });
        ValueTask<int> call = TestServiceRpc.Client(server.Client).AddAsync(1, 2);
        Eventually.True(() => call.IsCompleted, "the call completes");
        Assert.Equal(3, await call);
    }

    [Fact]
    public async Task RepliesThatNobodyAwaitsDoNotStopOthers()
    {
        using var server = new ShapeServer(new RpcClientOptions { ToClientCapacity = 4096, ToServerCapacity = 4096 });
        ITestService service = TestServiceRpc.Client(server.Client);
        var calls = new List<ValueTask<int>>();
        for (int i = 0; i < 5000; i++)
            calls.Add(service.AddAsync(i, 1));
        ErrorTests.Lives(service);
        for (int i = 0; i < 5000; i++)
            Assert.Equal(i + 1, await Eventually.Ends(calls[i].AsTask()));
    }

    [Fact]
    public async Task ACallByTheThreadThatReadsIsRefusedBecauseNobodyWouldReadForIt()
    {
        using var server = new ShapeServer();
        RpcClient client = server.Client;
        var greedy = new MessageCodec<int>(
            "Number",
            static (ref ProtoWriter writer, in int value) => writer.WriteInt32(1 << 3, value),
            (ref ProtoReader reader) => client.Call(Shapes.Meta, 0));
        var method = new RpcMethod<int, int>(Shapes.Name, "Meta", RpcMethodKind.Unary, Shapes.Number, greedy);
        RpcCallException sync = await Eventually.Fails(Task.Run(() => client.Call(method, 0)));
        RpcCallException async = await Eventually.Fails(client.CallAsync(method, 0).AsTask());
        foreach (RpcCallException e in new[] { sync, async })
        {
            Assert.Equal(RpcStatus.Internal, e.Status);
            Assert.Equal(RpcStatus.FailedPrecondition, Assert.IsType<RpcCallException>(e.InnerException).Status);
        }

        ErrorTests.Lives(TestServiceRpc.Client(client));
    }

    private static bool Lives(ITestService service)
    {
        try
        {
            return service.Add(1, 1) == 2;
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable)
        {
            return false;
        }
    }

    private sealed class Logging : RpcCaller
    {
        private readonly string _name;
        private readonly RpcCaller _inner;
        private readonly ConcurrentQueue<string> _log;

        public Logging(string name, RpcCaller inner, ConcurrentQueue<string> log)
        {
            _name = name;
            _inner = inner;
            _log = log;
        }

        public override TResponse Call<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
            => Log(method).Call(method, in request, cancellationToken);

        public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
            RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
            => Log(method).CallAsync(method, in request, cancellationToken);

        public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
            RpcProgressMethod<TRequest, TResponse, TProgress> method, in TRequest request, IProgress<TProgress> progress, CancellationToken cancellationToken = default)
            => Log(method).CallAsync(method, in request, progress, cancellationToken);

        public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request) => Log(method).Notify(method, in request);

        public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
            => Log(method).Stream(method, request, cancellationToken);

        public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
            RpcStreamMethod<TRequest, TIn, TResponse> method, TRequest request, IAsyncEnumerable<TIn> items, CancellationToken cancellationToken = default)
            => Log(method).ClientStream(method, request, items, cancellationToken);

        public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
            RpcStreamMethod<TRequest, TIn, TOut> method, TRequest request, IAsyncEnumerable<TIn> items, CancellationToken cancellationToken = default)
            => Log(method).Duplex(method, request, items, cancellationToken);

        private RpcCaller Log(RpcMethod method)
        {
            _log.Enqueue(_name + " " + method.Name);
            return _inner;
        }
    }
}
