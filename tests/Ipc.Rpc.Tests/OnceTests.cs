using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Methods with [IpcOnce]: a call is executed once, however often it is made.</summary>
public sealed class OnceTests
{
    [Fact]
    public async Task ACallOfSuchAMethodIsACall()
    {
        using var server = new OnceServer();
        using RpcClient client = server.Connect();
        IOnceService service = OnceServiceRpc.Client(client);
        Assert.Equal(1, service.Do("a"));
        Assert.Equal(2, await service.DoAsync("a", TestContext.Current.CancellationToken)); // another call, with another id
        RpcCallException e = Assert.Throws<RpcCallException>(() => service.Fail("cat"));
        Assert.Equal((RpcStatus.NotFound, "there is no cat", RpcOnceRefusal.None), (e.Status, e.Message, e.OnceRefusal));
        Assert.Equal(3, server.Service.Done);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ACallWhoseConnectionIsLostIsMadeAgainAndJoinsItself(bool isSynchronous)
    {
        using var server = new OnceServer();
        using RpcClient client = server.Connect();
        IOnceService service = OnceServiceRpc.Client(client);
        Gate gate = server.Service.GateOf("g");
        Task<int> call = isSynchronous
            ? Task.Run(() => service.Hold("g"))
            : client.CallAsync(OnceServiceRpc.Hold, "g").AsTask();
        Eventually.True(() => gate.Entered == 1, "the handler runs");

        for (int i = 0; i < 3; i++)
        {
            ClientChannel before = client.Session.Channel!;
            before.End(RpcFailure.OfConnection("cut by the test"));
            Eventually.True(() => client.Session.Channel is { TakesCalls: true } now && now != before, "it has connected again");
        }

        Assert.False(call.IsCompleted);
        gate.Opened.Set();
        Assert.Equal(1, await Eventually.Ends(call));
        Assert.Equal((1, 0), (server.Service.Done, gate.Cancelled));
    }

    [Fact]
    public void WhoRepeatsACallUnderItsIdGetsItsOutcome()
    {
        using var server = new OnceServer();
        var id = RpcOnceId.New();
        for (int i = 0; i < 3; i++)
        {
            using RpcClient client = server.Connect(); // as after a restart
            Assert.Equal(1, OnceServiceRpc.Client(client.WithOnceId(id)).Do("a"));
        }

        var failing = RpcOnceId.New();
        for (int i = 0; i < 3; i++)
        {
            using RpcClient client = server.Connect();
            RpcCallException e = Assert.Throws<RpcCallException>(() => OnceServiceRpc.Client(client.WithOnceId(failing)).Fail("cat"));
            Assert.Equal((RpcStatus.NotFound, "there is no cat", RpcOnceRefusal.None), (e.Status, e.Message, e.OnceRefusal));
            Assert.Equal(new byte[] { 1, 2, 3 }, Assert.Single(e.Details).Bytes.ToArray());
        }

        Assert.Equal(2, server.Service.Done);
    }

    [Fact]
    public async Task RepeatsAtOnceWaitForOneHandler()
    {
        using var server = new OnceServer();
        using RpcClient one = server.Connect();
        using RpcClient other = server.Connect();
        for (int round = 0; round < 50; round++)
        {
            int before = server.Service.Done;
            var id = RpcOnceId.New();
            using var start = new Barrier(8);
            Task<int>[] calls = [.. Enumerable.Range(0, 8).Select(i => Task.Run(() =>
            {
                start.SignalAndWait();
                return OnceServiceRpc.Client((i % 2 == 0 ? one : other).WithOnceId(id)).Do("a");
            }))];
            foreach (Task<int> call in calls)
                Assert.Equal(before + 1, await Eventually.Ends(call));
            Assert.Equal(before + 1, server.Service.Done);
        }
    }

    /// <summary>Repeats that give up while the handler runs leave nothing at the server, whoever ends them.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ARepeatThatGivesUpIsOver(bool isCancelled)
    {
        using var server = new OnceServer(options: static options => options.MaxPendingCalls = 4);
        using RpcClient one = server.Connect();
        using RpcClient other = server.Connect();
        var id = RpcOnceId.New();
        Task<int> first = Task.Run(() => OnceServiceRpc.Client(one.WithOnceId(id)).Hold("gate"), TestContext.Current.CancellationToken);
        Eventually.True(() => server.Service.GateOf("gate").Entered == 1, "the handler to begin");
        for (int i = 0; i < 12; i++)
        {
            if (isCancelled)
            {
                using var stop = new CancellationTokenSource();
                Task<int> repeat = Repeat(other.WithOnceId(id), stop.Token);
                stop.CancelAfter(20);
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => repeat.WaitAsync(Eventually.Watchdog));
                continue;
            }

            // Each side looks at the deadline by its own timer: the server's may come later, and then there may be four for a moment. Not for good.
            RpcStatus status;
            long began = Stopwatch.GetTimestamp();
            do
            {
                status = (await Eventually.Fails(Repeat(other.WithOnceId(id).WithTimeout(TimeSpan.FromMilliseconds(20)), default))).Status;
            }
            while (status == RpcStatus.ResourceExhausted && Stopwatch.GetElapsedTime(began) < Eventually.Watchdog);
            Assert.Equal(RpcStatus.DeadlineExceeded, status);
        }

        Task<int> last = Task.Run(() => OnceServiceRpc.Client(other.WithOnceId(id)).Hold("gate"), TestContext.Current.CancellationToken);
        Assert.False(first.IsCompleted);
        server.Service.GateOf("gate").Opened.Set();
        Assert.Equal(1, await Eventually.Ends(first));
        Assert.Equal(1, await Eventually.Ends(last));
        Assert.Equal(1, server.Service.Done);

        static Task<int> Repeat(RpcClient view, CancellationToken stop) =>
            Task.Run(() => OnceServiceRpc.Client(view).Hold("gate", stop), TestContext.Current.CancellationToken);
    }

    [Fact]
    public void AnIdThatAnotherCallHasIsRefused()
    {
        using var server = new OnceServer();
        using RpcClient client = server.Connect();
        IOnceService service = OnceServiceRpc.Client(client.WithOnceId(RpcOnceId.New()));
        Assert.Equal(1, service.Do("a"));
        Refused(RpcOnceRefusal.OtherCall, RpcStatus.AlreadyExists, () => service.Do("b"));
        Refused(RpcOnceRefusal.OtherCall, RpcStatus.AlreadyExists, () => service.Also("a"));
        Assert.Equal(1, service.Do("a"));
        Assert.Equal(1, server.Service.Done);
    }

    [Fact]
    public void AForgottenCallIsNotExecutedAgain()
    {
        using var server = new OnceServer(once => once.MaxOutcomes = 2);
        using RpcClient client = server.Connect();
        var first = RpcOnceId.New();
        Assert.Equal(1, OnceServiceRpc.Client(client.WithOnceId(first)).Do("a"));
        for (int i = 0; i < 2; i++)
            Assert.Equal(2 + i, OnceServiceRpc.Client(client).Do("a"));
        RpcCallException e = Refused(RpcOnceRefusal.Forgotten, RpcStatus.FailedPrecondition, () => OnceServiceRpc.Client(client.WithOnceId(first)).Do("a"));
        Assert.Contains(first.ToString(), e.Message, StringComparison.Ordinal);
        Assert.False(e.IsUnsent);
        Assert.Equal(3, server.Service.Done);
    }

    [Fact]
    public void WithoutAStoreAServerExecutesNothingFromBeforeItsStart()
    {
        var id = RpcOnceId.New();
        using var server = new OnceServer();
        using RpcClient client = server.Connect();
        Refused(RpcOnceRefusal.Forgotten, RpcStatus.FailedPrecondition, () => OnceServiceRpc.Client(client.WithOnceId(id)).Do("a"));
        Assert.Equal(0, server.Service.Done);
        Assert.Equal(1, OnceServiceRpc.Client(client).Do("a"));
    }

    [Fact]
    public async Task ACallThatWasNeverSentGetsANewIdWhereTheServerIsNewer()
    {
        string name = TestServer.NewName();
        using RpcClient client = RpcClient.Create(name, new RpcClientOptions { WaitForReady = true });
        Task<int> call = OnceServiceRpc.Client(client).DoAsync("a", TestContext.Current.CancellationToken).AsTask();
        using var server = new OnceServer(name: name);
        Assert.Equal(1, await Eventually.Ends(call));
        Assert.Equal(1, server.Service.Done);
    }

    [Fact]
    public async Task MemoryThatIsFullOfRunningCallsRefusesOthers()
    {
        using var server = new OnceServer(once => once.MaxOutcomes = 1);
        using RpcClient client = server.Connect();
        Task<int> held = Task.Run(() => OnceServiceRpc.Client(client).Hold("g"), TestContext.Current.CancellationToken);
        Gate gate = server.Service.GateOf("g");
        Eventually.True(() => gate.Entered == 1, "the handler runs");
        RpcCallException e = Refused(RpcOnceRefusal.Full, RpcStatus.ResourceExhausted, () => OnceServiceRpc.Client(client).Do("a"));
        Assert.True(e.IsUnsent);
        gate.Opened.Set();
        Assert.Equal(1, await Eventually.Ends(held));
        Assert.Equal(2, OnceServiceRpc.Client(client).Do("a"));
    }

    [Fact]
    public void AnIdOfTheFutureIsRefused()
    {
        using var server = new OnceServer();
        using RpcClient client = server.Connect();
        RpcOnceId id = At(DateTime.UtcNow.AddHours(1));
        Refused(RpcOnceRefusal.Early, RpcStatus.FailedPrecondition, () => OnceServiceRpc.Client(client.WithOnceId(id)).Do("a"));
        Assert.Equal(0, server.Service.Done);
    }

    [Fact]
    public void OfAnOutcomeThatIsTooLongOnlyThatItWasExecutedIsRemembered()
    {
        using var server = new OnceServer(once => once.MaxOutcomeBytes = 1000);
        using RpcClient client = server.Connect();
        var id = RpcOnceId.New();
        Assert.Equal(5000, OnceServiceRpc.Client(client.WithOnceId(id)).Blob(5000).Length);
        Refused(RpcOnceRefusal.NotKept, RpcStatus.Aborted, () => OnceServiceRpc.Client(client.WithOnceId(id)).Blob(5000));
        Assert.Equal(1, server.Service.Done);
    }

    [Fact]
    public void APeerThatDoesNotKnowOfItRefusesTheCallAndOneThatAsksPlainlyIsServed()
    {
        var plain = new RpcMethod<int, int>("n.v1", "Next", RpcMethodKind.Unary, Shapes.Number, Shapes.Number);
        var once = new RpcMethod<int, int>("n.v1", "Next", RpcMethodKind.Unary, Shapes.Number, Shapes.Number, isOnce: true);
        int done = 0;
        using (RpcServer old = RpcServer.Start(TestServer.NewName(), new RpcService("n.v1", [RpcHandler.Unary(plain, n => ++done)])))
        using (RpcClient client = RpcClient.Connect(old.Name))
        {
            Assert.Equal(RpcStatus.Unimplemented, Assert.Throws<RpcCallException>(() => client.Call(once, 1)).Status);
            Assert.Equal(0, done);
        }

        using RpcServer server = RpcServer.Start(TestServer.NewName(), new RpcService("n.v1", [RpcHandler.Unary(once, n => ++done)]));
        using RpcClient older = RpcClient.Connect(server.Name);
        Assert.Equal(1, older.Call(plain, 1));
        Assert.Equal(2, older.Call(once, 1));
    }

    [Fact]
    public void AnInterceptorIsAskedForRepeats()
    {
        var guard = new Guard();
        using var server = new OnceServer(options: options => options.Interceptors.Add(guard));
        using RpcClient client = server.Connect();
        IOnceService service = OnceServiceRpc.Client(client.WithOnceId(RpcOnceId.New()));
        guard.IsClosed = true;
        Assert.Equal(RpcStatus.PermissionDenied, Assert.Throws<RpcCallException>(() => service.Do("a")).Status);
        guard.IsClosed = false;
        Assert.Equal(1, service.Do("a")); // what the handler never saw is not remembered
        guard.IsClosed = true;
        Assert.Equal(RpcStatus.PermissionDenied, Assert.Throws<RpcCallException>(() => service.Do("a")).Status);
        guard.IsClosed = false;
        Assert.Equal(1, service.Do("a"));
        Assert.Equal(1, server.Service.Done);
    }

    [Fact]
    public async Task AServerThatStopsWaitsForAHandlerWhoseCallerHasGone()
    {
        using var server = new OnceServer();
        Gate gate = server.Service.GateOf("g");
        RpcClient client = server.Connect();
        Task<int> call = Task.Run(() => OnceServiceRpc.Client(client).Hold("g"), TestContext.Current.CancellationToken);
        Eventually.True(() => gate.Entered == 1, "the handler runs");
        client.Dispose();
        await Eventually.Fails(call);
        Eventually.True(() => server.Server.ConnectionCount == 0, "the connection has gone");
        Task stopped = server.Server.StopAsync(TestContext.Current.CancellationToken);
        await Task.Delay(50, TestContext.Current.CancellationToken); // it looks every 2 ms: were it not to wait, it would be over
        Assert.False(stopped.IsCompleted);
        Assert.Equal(0, gate.Cancelled);
        gate.Opened.Set();
        await Eventually.Ends(stopped);
    }

    [Fact]
    public async Task AServerThatIsDisposedFiresTheTokenOfAHandlerWhoseCallerHasGone()
    {
        using var server = new OnceServer();
        Gate gate = server.Service.GateOf("g");
        RpcClient client = server.Connect();
        Task<int> call = Task.Run(() => OnceServiceRpc.Client(client).Hold("g"), TestContext.Current.CancellationToken);
        Eventually.True(() => gate.Entered == 1, "the handler runs");
        client.Dispose();
        await Eventually.Fails(call);
        Eventually.True(() => server.Server.ConnectionCount == 0, "the connection has gone");
        server.Server.Dispose();
        Eventually.True(() => gate.Cancelled == 1, "its token has fired");
    }

    [Fact]
    public async Task ACallerThatCancelsFiresTheToken()
    {
        using var server = new OnceServer();
        Gate gate = server.Service.GateOf("g");
        using RpcClient client = server.Connect();
        using var cancel = new CancellationTokenSource();
        Task<int> call = Task.Run(() => OnceServiceRpc.Client(client).Hold("g", cancel.Token), TestContext.Current.CancellationToken);
        Eventually.True(() => gate.Entered == 1, "the handler runs");
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
        Eventually.True(() => gate.Cancelled == 1, "its token has fired");
    }

    [Fact]
    public async Task WithoutAServerACallEndsWhenItsTimeIsOver()
    {
        using var server = new OnceServer();
        Gate gate = server.Service.GateOf("g");
        using RpcClient client = server.Connect(new RpcClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(300) });
        Task<int> patient = Task.Run(() => OnceServiceRpc.Client(client).Hold("g"), TestContext.Current.CancellationToken);
        Task<int> timed = Task.Run(() => OnceServiceRpc.Client(client.WithTimeout(TimeSpan.FromMilliseconds(600))).Hold("g"), TestContext.Current.CancellationToken);
        Eventually.True(() => gate.Entered == 2, "both handlers run");
        server.Server.Dispose();
        RpcCallException e = await Eventually.Fails(patient);
        Assert.Equal((RpcStatus.Unavailable, false), (e.Status, e.IsUnsent));
        e = await Eventually.Fails(timed);
        Assert.Contains(e.Status, new[] { RpcStatus.DeadlineExceeded, RpcStatus.Unavailable });
        Assert.False(e.IsUnsent);
    }

    /// <summary>The old server does not know yet that it is followed. Were it to execute a call that is younger than the next one, that one would do so, too.</summary>
    [Fact]
    public async Task ACallThatIsMadeWhenTheNameHasBeenTakenIsTheNextServersAlone()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "nobody takes over a live name there");
        var keepBusy = new RpcMethod<int, int>("busy.v1", "Keep", RpcMethodKind.Unary, Shapes.Number, Shapes.Number);
        using var busy = new ManualResetEventSlim();
        using var free = new ManualResetEventSlim();
        RpcHandler keeps = RpcHandler.Unary(keepBusy, n =>
        {
            busy.Set();
            free.Wait(TestContext.Current.CancellationToken);
            return n;
        }).Inline(); // so nobody else reads, or hears of the next server
        string name = TestServer.NewName();
        OnceService old = new(), young = new();
        using RpcServer first = RpcServer.Start(name, new RpcServerOptions { TakeOver = true }, OnceServiceRpc.Service(old), new RpcService("busy.v1", [keeps]));
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { WaitForReady = true });
        Task<int> kept = client.CallAsync(keepBusy, 1).AsTask();
        Eventually.True(() => busy.IsSet, "the server is busy");
        using RpcServer next = RpcServer.Start(name, new RpcServerOptions { TakeOver = true }, OnceServiceRpc.Service(young));
        Task<int> call = client.CallAsync(OnceServiceRpc.Hold, "g").AsTask();
        free.Set();
        Assert.Equal(1, await Eventually.Ends(kept));
        Eventually.True(() => old.GateOf("g").Entered + young.GateOf("g").Entered == 1, "one of them executes it");
        first.Dispose(); // as if it were killed: what it has executed it does not answer
        Eventually.True(() => young.GateOf("g").Entered == 1, "the next one is asked");
        young.GateOf("g").Opened.Set();
        Assert.Equal(1, await Eventually.Ends(call));
        Assert.Equal((0, 1), (old.Done, young.Done));
    }

    /// <summary>It is the handler's outcome, and not the end of a connection.</summary>
    [Fact]
    public void AHandlerThatSaysUnavailableIsNotAskedAgain()
    {
        var once = new RpcMethod<int, int>("n.v1", "Next", RpcMethodKind.Unary, Shapes.Number, Shapes.Number, isOnce: true);
        int asked = 0;
        RpcHandler handler = RpcHandler.Unary(once, n => throw new RpcCallException(RpcStatus.Unavailable, "asked " + ++asked));
        using RpcServer server = RpcServer.Start(TestServer.NewName(), new RpcService("n.v1", [handler]));
        using RpcClient client = RpcClient.Connect(server.Name);
        var id = RpcOnceId.New();
        for (int i = 0; i < 2; i++)
            Assert.Equal("asked 1", Assert.Throws<RpcCallException>(() => client.WithOnceId(id).Call(once, 1)).Message);
        Assert.Equal("asked 2", Assert.Throws<RpcCallException>(() => client.Call(once, 1)).Message);
    }

    /// <summary>A handler passes on a refusal that its own call got: that is its outcome, and no refusal.</summary>
    [Fact]
    public void ARefusalThatAHandlerPassesOnIsItsOutcome()
    {
        var once = new RpcMethod<int, int>("n.v1", "Next", RpcMethodKind.Unary, Shapes.Number, Shapes.Number, isOnce: true);
        int asked = 0;
        RpcHandler handler = RpcHandler.Unary(once, n =>
        {
            asked++;
            throw OnceRefusals.Of(RpcOnceRefusal.Forgotten, null);
        });
        using RpcServer server = RpcServer.Start(TestServer.NewName(), new RpcService("n.v1", [handler]));
        using RpcClient client = RpcClient.Connect(server.Name);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(once, 1));
        Assert.Equal((RpcStatus.FailedPrecondition, RpcOnceRefusal.None, 1), (e.Status, e.OnceRefusal, asked));
    }

    [Fact]
    public void ItIsNotCalledBack()
    {
        var once = new RpcMethod<int, int>("n.v1", "Next", RpcMethodKind.Unary, Shapes.Number, Shapes.Number, isOnce: true);
        var plain = new RpcMethod<int, int>("p.v1", "Back", RpcMethodKind.Unary, Shapes.Number, Shapes.Number);
        using RpcServer server = RpcServer.Start(
            TestServer.NewName(), new RpcService("p.v1", [RpcHandler.Unary(plain, n => RpcContext.Current!.Caller.Call(once, n))]));
        using RpcClient client = RpcClient.Connect(server.Name);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(plain, 1));
        Assert.Equal(RpcStatus.Unimplemented, e.Status);
        Assert.Contains("n.v1/Next is [IpcOnce]", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ARequestWithoutARightIdIsRefusedAndTheConnectionLives()
    {
        using var server = new OnceServer();
        using var client = new RawClient(server.Server.Name);
        uint method = OnceServiceRpc.Do.OnceId;
        byte[][] ids = [[], new byte[24], new byte[23], [.. Enumerable.Repeat((byte)0xFF, 24)], [.. RpcOnceId.New().ToBytes(), 0]];
        ulong call = 1;
        foreach (byte[] id in ids)
        {
            client.Send(new FrameHeader(FrameKind.Request, call, method: method, flags: FrameFlags.Head), new CallHead { Once = id }.Encode());
            FrameHeader answer = client.Receive();
            Assert.Equal((FrameKind.Error, call, (ushort)RpcStatus.InvalidArgument), (answer.Kind, answer.Call, answer.Code));
            call++;
        }

        client.Send(new FrameHeader(FrameKind.Request, call, method: method));
        Assert.Equal((ushort)RpcStatus.InvalidArgument, client.Receive().Code);
        client.Send(new FrameHeader(FrameKind.Request, ++call, method: method, flags: FrameFlags.Head), new CallHead { Once = RpcOnceId.New().ToBytes() }.Encode());
        Assert.Equal((FrameKind.Response, 1), (client.Receive().Kind, server.Service.Done));
    }

    [Fact]
    public void AnIdIsTextAndBack()
    {
        var id = RpcOnceId.New();
        Assert.Equal(id, RpcOnceId.Parse(id.ToString()));
        Assert.True(RpcOnceId.TryRead(id.ToBytes(), out RpcOnceId read) && read == id && read.GetHashCode() == id.GetHashCode());
        Assert.InRange(id.Created, DateTime.UtcNow.AddMinutes(-1), DateTime.UtcNow);
        foreach (string? wrong in new[] { null, "", "1", new string('0', 48), new string('f', 48), id + "0", "x" + id.ToString()[1..] })
            Assert.False(RpcOnceId.TryParse(wrong, out _), wrong);
        Assert.Throws<FormatException>(() => RpcOnceId.Parse("x"));
    }

    internal static RpcOnceId At(DateTime time)
        => RpcOnceId.Parse(time.Ticks.ToString("x16", System.Globalization.CultureInfo.InvariantCulture) + RpcOnceId.New().ToString()[16..]);

    internal static RpcCallException Refused(RpcOnceRefusal refusal, RpcStatus status, Action call)
    {
        RpcCallException e = Assert.Throws<RpcCallException>(call);
        Assert.Equal((refusal, status), (e.OnceRefusal, e.Status));
        return e;
    }

    internal sealed class OnceServer : IDisposable
    {
        public OnceServer(Action<RpcOnceOptions>? once = null, Action<RpcServerOptions>? options = null, string? name = null)
        {
            var own = new RpcServerOptions();
            once?.Invoke(own.Once);
            options?.Invoke(own);
            Server = RpcServer.Start(name ?? TestServer.NewName(), own, OnceServiceRpc.Service(Service));
        }

        public OnceService Service { get; } = new();

        public RpcServer Server { get; }

        public RpcClient Connect(RpcClientOptions? options = null) => RpcClient.Connect(Server.Name, options);

        public void Dispose() => Server.Dispose();
    }

    private sealed class Guard : RpcServerInterceptor
    {
        public bool IsClosed { get; set; }

        public override void Starting(RpcContext context)
        {
            if (IsClosed)
                throw new RpcCallException(RpcStatus.PermissionDenied, "not now");
        }
    }
}
