using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Calls end over a broker as they do over shared memory: neither the generated code nor the handlers know of it.</summary>
public sealed class CallTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    [Fact]
    public async Task CallsAreAnswered()
    {
        await ServeAsync(new TestService());
        ITestService client = (await ConnectAsync()).For<ITestService>();
        Assert.Equal(5, client.Add(2, 3));
        Task<int>[] sums = [.. Enumerable.Range(0, 500).Select(number => client.AddAsync(number, 1, Cancel).AsTask())];
        Assert.Equal(Enumerable.Range(1, 500), await Task.WhenAll(sums).WaitAsync(Patience, Cancel));
        Assert.Equal(3_000_000, client.Blob(3_000_000).Length);
        client.Nothing();
    }

    [Theory]
    [InlineData("argument", RpcStatus.Unknown, "System.ArgumentException")]
    [InlineData("NotFound", RpcStatus.NotFound, null)]
    [InlineData("long", RpcStatus.Unknown, "System.InvalidOperationException")]
    public async Task AHandlersErrorArrivesAsOverSharedMemory(string what, RpcStatus status, string? type)
    {
        await ServeAsync(new TestService());
        ITestService client = (await ConnectAsync()).For<ITestService>();
        RpcCallException failure = await FailsAsync(status, () => Task.Run(() => client.Throw(what)));
        Assert.Equal((type, "test.v1", "Throw"), (failure.RemoteType, failure.Service, failure.Method));
        Assert.Contains(Service, failure.Peer, StringComparison.Ordinal);
        Assert.DoesNotContain("guest:", failure.ToString(), StringComparison.Ordinal);
        Assert.False(failure.IsUnsent);
    }

    [Fact]
    public async Task AMethodThatTheServerDoesNotHaveIsUnimplemented()
    {
        await ServeAsync(new TestService());
        await FailsAsync(RpcStatus.Unimplemented, async () => await (await ConnectAsync()).For<IFarm>().DoAsync(1, Cancel));
    }

    [Fact]
    public async Task ADeadlineEndsTheCallAndItsHandler()
    {
        TestService service = new();
        await ServeAsync(service);
        RabbitMqClient client = await ConnectAsync();
        Assert.InRange(await client.Caller.WithTimeout(TimeSpan.FromSeconds(100)).For<ITestService>().RemainingAsync(Cancel), 1, 100_000);
        Assert.Equal(-1, await client.For<ITestService>().RemainingAsync(Cancel));
        await FailsAsync(
            RpcStatus.DeadlineExceeded,
            async () => await client.Caller.WithTimeout(TimeSpan.FromMilliseconds(300)).For<ITestService>().WaitAsync("late", Cancel));
        Watchdog.Until(() => service.GateOf("late").Cancelled == service.GateOf("late").Entered, "the handler to be told");
    }

    [Fact]
    public async Task ACancellationReachesTheHandler()
    {
        TestService service = new();
        await ServeAsync(service);
        ITestService client = (await ConnectAsync()).For<ITestService>();
        using CancellationTokenSource cancel = new();
        Task<int> call = client.WaitAsync("held", cancel.Token).AsTask();
        Watchdog.Until(() => service.GateOf("held").Entered == 1, "the handler to begin");
        cancel.Cancel();
        OperationCanceledException ended = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call.WaitAsync(Patience));
        Assert.Equal(cancel.Token, ended.CancellationToken);
        Watchdog.Until(() => service.GateOf("held").Cancelled == 1, "the handler to be told");
        Assert.Equal(2, client.Add(1, 1));
    }

    [Fact]
    public async Task MetadataGoesBothWays()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.Handlers = new RpcServerOptions { Interceptors = { new Answering() } };
        await ServeAsync(TestServiceRpc.Service(new TestService()), options);
        RabbitMqClient client = await ConnectAsync();
        RpcMetadata? answer = null;
        RabbitMqCaller caller = client.Caller.With(new RpcMetadata { { "a", "1" }, { "a", "2" }, { RabbitMqMarks.Redelivered, "1" } }).WithAnswer(got => answer = got);
        Assert.Equal(3, caller.For<ITestService>().Add(1, 2));
        Assert.Equal(["1", "2"], answer!.Where(static entry => entry.Key == "a").Select(static entry => System.Text.Encoding.UTF8.GetString(entry.Value.Span)));
        Assert.Equal("False", answer!.GetText("marked")); // a caller cannot mark
        await FailsAsync(
            RpcStatus.InvalidArgument,
            async () => await client.Caller.With(new RpcMetadata { { "long", new byte[20_000] } }).For<ITestService>().AddAsync(1, 2, Cancel));
    }

    [Fact]
    public async Task WhatIsTooLargeIsNotSent()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.MaxMessageBytes = 100_000;
        await ServeAsync(TestServiceRpc.Service(new TestService()), options);
        RabbitMqClientOptions ofClient = ClientOptions;
        ofClient.MaxMessageBytes = 1_000_000;
        ITestService client = (await ConnectAsync(ofClient)).For<ITestService>();
        RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => Task.Run(() => client.Echo(new Message { Text = new string('x', 1_000_000) })));
        Assert.True(failure.IsUnsent);
        Assert.Contains("1000000", failure.Message, StringComparison.Ordinal);
        failure = await FailsAsync(RpcStatus.ResourceExhausted, () => Task.Run(() => client.Blob(200_000)));
        Assert.False(failure.IsUnsent);
        Assert.Equal(2, client.Add(1, 1));
    }

    [Fact]
    public async Task TwoServersShareTheWork()
    {
        Farm one = new("one"), two = new("two");
        RabbitMqServerOptions options = ServerOptions;
        options.Prefetch = 1;
        await ServeAsync(FarmRpc.Service(one), options);
        await ServeAsync(FarmRpc.Service(two), options);
        TaskCompletionSource both = new();
        one.After = two.After = (_, _) =>
        {
            if (!one.All.IsEmpty && !two.All.IsEmpty)
                both.TrySetResult();
            return both.Task; // each keeps its first one until the other one has one, too
        };
        IFarm client = (await ConnectAsync()).For<IFarm>();
        string[] names = await Task.WhenAll(Enumerable.Range(0, 20).Select(number => client.DoAsync(number, Cancel).AsTask())).WaitAsync(Patience, Cancel);
        Assert.Equal(["one", "two"], names.Distinct().Order());
        Assert.Equal(20, one.All.Count + two.All.Count);
    }

    private sealed class Answering : RpcServerInterceptor
    {
        public override void Starting(RpcContext context)
        {
            foreach (var entry in context.RequestMetadata)
                context.ResponseMetadata.Add(entry.Key, entry.Value);
            context.ResponseMetadata.Add("marked", (context.RequestMetadata.GetText(RabbitMqMarks.Redelivered) == "1").ToString());
        }
    }
}
