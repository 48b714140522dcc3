using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Core.Interceptors;
using Grpc.Net.Client;
using Ipc.Rpc;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Grpc.Tests;

/// <summary>A contract's proxy over gRPC: what an Ipc caller expects of it, through the gateway to a server and back.</summary>
public sealed class CallerTests : GatewayTest
{
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task AProxyCallsOverGrpcInEveryShape(Language language)
    {
        Peer(language);
        await StartAsync();
        ITests tests = Caller().For<ITests>();
        Assert.Equal("sync", Of(tests.Echo(Blob("sync"))));
        Assert.Equal("async", Of(await tests.EchoAsync(Blob("async"), Hang)));
        byte[] large = new byte[3 << 20];
        new Random(1).NextBytes(large);
        Assert.Equal(large, (await tests.EchoAsync(new Blob { Data = large }, Hang)).Data);
        Assert.Equal(Enumerable.Range(0, 500).Select(static i => Pattern.Of(i, 100)), await tests.Count(new CountRequest { Count = 500, Size = 100 }, Hang).Select(static item => item.Data).ToListAsync(Hang));
        Assert.Equal("100 300", Of(await tests.CollectAsync(new CountRequest(), Items(100), Hang)));
        Assert.Equal("7 21", Of(await tests.CollectAsync(new CountRequest { Count = 7 }, Items(int.MaxValue), Hang))); // its parameters travel, and it ends early
        Assert.Equal(50, await tests.Mirror(new CountRequest(), Items(50), Hang).CountAsync(Hang));
        Assert.Equal(9, await tests.Mirror(new CountRequest { Count = 9 }, Items(int.MaxValue), Hang).CountAsync(Hang));
        tests.Note(Blob("one way"));
        Watchdog.Until(() => Of(tests.Noted(new Blob())) == "1", "the note");
        Assert.Equal("3", Of(await tests.StepsAsync(new CountRequest { Count = 3 }, new Progress<Blob>(static _ => Assert.Fail("nothing brings it")), Hang)));
    }

    /// <summary>A server may end the whole connection while an item is being written: Kestrel does, when too many streams end early.</summary>
    [Fact]
    public async Task AStreamWhoseConnectionEndsFailsAsACall()
    {
        Serve();
        await StartAsync();
        ITests tests = Caller().For<ITests>();
        for (int i = 0; i < 600; i++)
        {
            try
            {
                Assert.Equal(9, await tests.Mirror(new CountRequest { Count = 9 }, Items(int.MaxValue), Hang).CountAsync(Hang));
            }
            catch (RpcCallException e)
            {
                Assert.True(e.Status is RpcStatus.Internal or RpcStatus.Unavailable or RpcStatus.ResourceExhausted, e.ToString());
                return;
            }
        }
    }

    [Fact]
    public async Task StatusTextAndDetailsComeBack()
    {
        Serve();
        await StartAsync();
        ITests tests = Caller().For<ITests>();
        for (int code = 1; code <= 16; code++)
        {
            RpcCallException error = Assert.Throws<RpcCallException>(() => tests.FailWith(new FailRequest { Status = code, Text = $"ä {code}" }));
            Assert.Equal(((RpcStatus)code, $"ä {code}"), (error.Status, error.Message));
            Assert.True(Assert.Single(error.Details).TryRead(TestsRpc.Codecs.Blob, out Blob detail));
            Assert.Equal($"ä {code}", Of(detail));
            Assert.Equal((StatusCode)code, Assert.IsType<RpcException>(error.InnerException).StatusCode);
        }

        RpcCallException early = await Assert.ThrowsAsync<RpcCallException>(async () => await tests.Mirror(new CountRequest(), Items(3, "thirteen long"), Hang).CountAsync(Hang));
        Assert.Equal((RpcStatus.OutOfRange, "unlucky"), (early.Status, early.Message));
    }

    [Fact]
    public async Task DeadlinesAndTimeoutsReachTheHandler()
    {
        ManagedTests service = Serve();
        await StartAsync();
        GrpcCaller caller = Caller();
        Assert.InRange(Left(caller.WithTimeout(TimeSpan.FromMinutes(10))), 1, 600_000);
        Assert.InRange(Left(caller.WithDeadline(Deadline.After(TimeSpan.FromMinutes(5))).WithTimeout(TimeSpan.FromMinutes(10))), 1, 300_000);
        RpcCallException late = await Assert.ThrowsAsync<RpcCallException>(async () =>
            await caller.WithTimeout(TimeSpan.FromMilliseconds(200)).For<ITests>().SleepAsync(new SleepRequest { Ms = 60_000 }, Hang));
        Assert.Equal(RpcStatus.DeadlineExceeded, late.Status);
        late = await Assert.ThrowsAsync<RpcCallException>(async () =>
            await caller.WithDeadline(Deadline.After(TimeSpan.FromMilliseconds(200))).For<ITests>().Mirror(new CountRequest(), Waiting(), Hang).CountAsync(Hang));
        Assert.Equal(RpcStatus.DeadlineExceeded, late.Status);
        await service.StreamCancelled.Task.WaitAsync(Hang);

        static int Left(GrpcCaller caller) => int.Parse(Of(caller.For<ITests>().Remaining(new Blob())), System.Globalization.CultureInfo.InvariantCulture);
    }

    /// <summary>A handler that calls on over gRPC: its deadline holds there, too, and its cancellation ends the call.</summary>
    [Fact]
    public async Task ACallInAHandlerEndsWithIt()
    {
        ManagedTests service = Serve();
        await StartAsync();
        ITests onwards = Caller().For<ITests>();
        RpcMethod<Blob, Blob> left = Pass("Remaining"), sleep = Pass("Sleep");
        TaskCompletionSource<Exception> ended = new();
        using RpcServer outer = RpcServer.Start("outer", new RpcService("pass.v1",
        [
            RpcHandler.Unary(left, (request, _) => onwards.Remaining(request)),
            RpcHandler.UnaryAsync(sleep, async (_, _) =>
            {
                ended.SetResult(await Assert.ThrowsAnyAsync<Exception>(() => onwards.SleepAsync(new SleepRequest { Ms = 60_000 }, CancellationToken.None)));
                return new Blob();
            }),
        ]));
        using RpcClient client = RpcClient.Connect("outer");
        Assert.InRange(int.Parse(Of(client.WithTimeout(TimeSpan.FromMinutes(10)).Call(left, new Blob())), System.Globalization.CultureInfo.InvariantCulture), 1, 600_000);
        using CancellationTokenSource cancel = new();
        Task<Blob> sleeping = client.CallAsync(sleep, new Blob(), cancel.Token).AsTask();
        await service.SleepBegun.Task.WaitAsync(Hang);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sleeping);
        await service.SleepCancelled.Task.WaitAsync(Hang);
        Assert.IsAssignableFrom<OperationCanceledException>(await ended.Task.WaitAsync(Hang)); // as of an Ipc client

        static RpcMethod<Blob, Blob> Pass(string name) => new("pass.v1", name, RpcMethodKind.Unary, TestsRpc.Codecs.Blob, TestsRpc.Codecs.Blob);
    }

    [Fact]
    public async Task ACancelledCallCancelsItsHandlerAndItsSource()
    {
        ManagedTests service = Serve();
        await StartAsync();
        ITests tests = Caller().For<ITests>();
        using CancellationTokenSource cancel = new();
        Task<Blob> sleeping = tests.SleepAsync(new SleepRequest { Ms = 60_000 }, cancel.Token);
        TaskCompletionSource sourceEnded = new(), taken = new();
        Task<Blob> collecting = tests.CollectAsync(new CountRequest(), Waiting(taken, sourceEnded), cancel.Token);
        await service.SleepBegun.Task.WaitAsync(Hang);
        Watchdog.Until(() => service.Taken == 1, "the first item");
        await cancel.CancelAsync();
        Assert.Equal(cancel.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sleeping)).CancellationToken);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => collecting);
        await service.SleepCancelled.Task.WaitAsync(Hang);
        await service.StreamCancelled.Task.WaitAsync(Hang);
        await sourceEnded.Task.WaitAsync(Hang);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await tests.EchoAsync(new Blob(), cancel.Token));
    }

    [Fact]
    public async Task AnExceptionOfTheSourceIsItsCallers()
    {
        ManagedTests service = Serve();
        await StartAsync();
        ITests tests = Caller().For<ITests>();
        InvalidOperationException own = await Assert.ThrowsAsync<InvalidOperationException>(() => tests.CollectAsync(new CountRequest(), Failing(service), Hang));
        Assert.Equal("own", own.Message);
        await service.StreamCancelled.Task.WaitAsync(Hang);
        own = await Assert.ThrowsAsync<InvalidOperationException>(async () => await tests.Mirror(new CountRequest(), Failing(service), Hang).CountAsync(Hang));
        Assert.Equal("own", own.Message);
    }

    /// <summary>Grpc.Net.Client throws another exception if its channel is told to.</summary>
    [Fact]
    public async Task AChannelThatThrowsCancellationsEndsCallsAsAnyOther()
    {
        ManagedTests service = Serve();
        await StartAsync();
        GrpcCaller caller = Caller(new GrpcChannelOptions { ThrowOperationCanceledOnCancellation = true });
        RpcCallException late = await Assert.ThrowsAsync<RpcCallException>(() => Brief().SleepAsync(new SleepRequest { Ms = 60_000 }, Hang));
        Assert.Equal(RpcStatus.DeadlineExceeded, late.Status);
        late = await Assert.ThrowsAsync<RpcCallException>(async () => await Brief().Mirror(new CountRequest(), Waiting(), Hang).CountAsync(Hang));
        Assert.Equal(RpcStatus.DeadlineExceeded, late.Status);

        using CancellationTokenSource cancel = new();
        int before = service.Taken; // of the call before, if it came so far
        Task<Blob> collecting = caller.For<ITests>().CollectAsync(new CountRequest(), Waiting(), cancel.Token);
        Watchdog.Until(() => service.Taken > before, "the first item");
        await cancel.CancelAsync();
        Assert.Equal(cancel.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => collecting)).CancellationToken);
        InvalidOperationException own = await Assert.ThrowsAsync<InvalidOperationException>(() => caller.For<ITests>().CollectAsync(new CountRequest(), Failing(service), Hang));
        Assert.Equal("own", own.Message);

        ITests Brief() => caller.WithDeadline(Deadline.After(TimeSpan.FromMilliseconds(200))).For<ITests>();
    }

    /// <summary>The server never hears of it, and would wait for it.</summary>
    [Fact]
    public async Task AnItemThatTheChannelDoesNotTakeEndsTheCall()
    {
        ManagedTests service = Serve();
        await StartAsync();
        ITests tests = Caller(new GrpcChannelOptions { MaxSendMessageSize = 1000 }).For<ITests>();
        string large = new('x', 2000);
        RpcCallException refused = await Assert.ThrowsAsync<RpcCallException>(() => tests.CollectAsync(new CountRequest(), Items(1, large), Hang));
        Assert.Equal(RpcStatus.ResourceExhausted, refused.Status);
        refused = await Assert.ThrowsAsync<RpcCallException>(async () => await tests.Mirror(new CountRequest(), Items(1, large), Hang).CountAsync(Hang));
        Assert.Equal(RpcStatus.ResourceExhausted, refused.Status);
        refused = await Assert.ThrowsAsync<RpcCallException>(() => tests.EchoAsync(Blob(large), Hang));
        Assert.Equal(RpcStatus.ResourceExhausted, refused.Status);
        Assert.Equal("fits", Of(await tests.EchoAsync(Blob("fits"), Hang)));
        Assert.Equal(0, service.Taken);
    }

    /// <summary>Interceptors that try again are common.</summary>
    [Fact]
    public async Task AnInterceptorMaySendARequestAgain()
    {
        Serve();
        await StartAsync();
        ITests tests = GrpcCaller.Of<ITests>(Channel().Intercept(new Again())).For<ITests>();
        Assert.Equal("again", Of(await tests.EchoAsync(Blob("again"), Hang)));
        Assert.Equal(2, await tests.Count(new CountRequest { Count = 2, Size = 1 }, Hang).CountAsync(Hang));
    }

    [Fact]
    public async Task MetadataTravelsBothWays()
    {
        Serve();
        await StartAsync();
        List<RpcMetadata> answers = [];
        GrpcCaller caller = Caller().With(new RpcMetadata { { "user", "ann" }, { "name", "näh" }, { "key-bin", new byte[] { 0, 255 } } }).WithAnswer(answers.Add);
        await caller.For<ITests>().EchoAsync(new Blob(), Hang);
        caller.For<ITests>().Labels(new Blob());
        Assert.Equal(2, answers.Count);
        Assert.Empty(answers[0]);
        Assert.Equal("ann", answers[1].GetText("user"));
        Assert.Equal("näh", answers[1].GetText("name-bin"));
        Assert.True(answers[1].TryGet("key-bin", out ReadOnlyMemory<byte> key));
        Assert.Equal([0, 255], key.ToArray());
        await Assert.ThrowsAsync<RpcCallException>(() => caller.For<ITests>().CollectAsync(new CountRequest(), Items(1, "thirteen long"), Hang));
    }

    [Fact]
    public async Task NobodyThereIsUnavailable()
    {
        await StartAsync();
        RpcCallException nobody = Assert.Throws<RpcCallException>(() => Caller().For<ITests>().Echo(new Blob()));
        Assert.Equal(RpcStatus.Unavailable, nobody.Status);
    }

    [Fact]
    public async Task AMethodOfAnotherContractIsRefused()
    {
        await StartAsync();
        ArgumentException refused = await Assert.ThrowsAsync<ArgumentException>(() => TestsBackRpc.Client(Caller()).BackAsync(new Blob(), Hang));
        Assert.Contains("tests.back.v1/Back is not of tests.v1", refused.Message, StringComparison.Ordinal);
        RpcMethod<Blob, Blob> wrong = new("tests.v1", "Count", RpcMethodKind.ServerStream, TestsRpc.Codecs.Blob, TestsRpc.Codecs.Blob);
        Assert.Throws<ArgumentException>(() => Caller().Call(wrong, new Blob()));
    }

    private static string Of(Blob blob) => Encoding.UTF8.GetString(blob.Data);

    private static new Blob Blob(string text) => new() { Data = Encoding.UTF8.GetBytes(text) };

    private static async IAsyncEnumerable<Blob> Items(int count, string text = "abc")
    {
        for (int i = 0; i < count; i++)
        {
            yield return Blob(text);
            await Task.Yield();
        }
    }

    private static async IAsyncEnumerable<Blob> Waiting(TaskCompletionSource? taken = null, TaskCompletionSource? ended = null, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancel = default)
    {
        try
        {
            yield return Blob("abc");
            taken?.TrySetResult();
            await Task.Delay(Timeout.Infinite, cancel);
        }
        finally
        {
            ended?.TrySetResult();
        }
    }

    private static async IAsyncEnumerable<Blob> Failing(ManagedTests service)
    {
        int before = service.Taken;
        yield return Blob("abc");
        while (service.Taken == before) // a call that is cancelled earlier never comes to its handler
            await Task.Delay(1, Hang);
        throw new InvalidOperationException("own");
    }

    private GrpcCaller Caller(GrpcChannelOptions? options = null) => GrpcCaller.Of<ITests>(Channel(options).CreateCallInvoker());

    private sealed class Again : Interceptor
    {
        public override AsyncUnaryCall<TResponse> AsyncUnaryCall<TRequest, TResponse>(
            TRequest request, ClientInterceptorContext<TRequest, TResponse> context, AsyncUnaryCallContinuation<TRequest, TResponse> continuation)
        {
            continuation(request, context).ResponseAsync.Wait();
            return continuation(request, context);
        }

        public override AsyncServerStreamingCall<TResponse> AsyncServerStreamingCall<TRequest, TResponse>(
            TRequest request, ClientInterceptorContext<TRequest, TResponse> context, AsyncServerStreamingCallContinuation<TRequest, TResponse> continuation)
        {
            using AsyncServerStreamingCall<TResponse> first = continuation(request, context);
            first.ResponseStream.MoveNext(CancellationToken.None).Wait();
            return continuation(request, context);
        }
    }
}
