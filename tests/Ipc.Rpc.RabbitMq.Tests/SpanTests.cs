using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What tracing shows of a request at a broker: kinds, parents, and the attributes of the conventions for messaging.</summary>
public sealed class SpanTests : RabbitMqTest
{
    private readonly ConcurrentQueue<Activity> _ended = new();
    private readonly ConcurrentDictionary<Activity, Thread> _threads = new(); // on which they have ended
    private Action<Activity> _started = static _ => { };

    public SpanTests(BrokerProcess broker)
        : base(broker)
    {
        ActivityListener listener = Own(new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ipc.Rpc.RabbitMq",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStarted = activity => _started(activity),
            ActivityStopped = activity =>
            {
                if (activity.GetTagItem("messaging.destination.name") as string != "ipc." + Service)
                    return; // other tests run at the same time
                _threads[activity] = Thread.CurrentThread;
                _ended.Enqueue(activity);
            },
        });
        ActivitySource.AddActivityListener(listener);
    }

    [Fact]
    public async Task ACallHasASpanAtEachEnd()
    {
        await ServeAsync(new TestService());
        Assert.Equal(5, (await ConnectAsync()).For<ITestService>().Add(2, 3));
        Dictionary<ActivityKind, Activity> spans = Ended(2);
        (Activity sent, Activity handled) = (spans[ActivityKind.Client], spans[ActivityKind.Server]);
        Assert.Equal((sent.TraceId, sent.SpanId), (handled.TraceId, handled.ParentSpanId));
        Check(sent, "publish", "send", "test.v1", "Add");
        Check(handled, "process", "process", "test.v1", "Add");
        Assert.Equal(sent.GetTagItem("messaging.message.id"), handled.GetTagItem("messaging.message.id"));
        Assert.Equal(1L, handled.GetTagItem("messaging.rabbitmq.message.delivery_tag"));
        Assert.All(spans.Values, static span => Assert.Equal((ActivityStatusCode.Unset, null), (span.Status, span.GetTagItem("error.type"))));
    }

    [Fact]
    public async Task AOneWayCallHasAProducerAndAConsumer()
    {
        Farm farm = new("one");
        await ServeAsync(FarmRpc.Service(farm));
        await (await ConnectAsync()).For<IFarm>().NoteAsync(300, Cancel);
        Dictionary<ActivityKind, Activity> spans = Ended(2);
        (Activity sent, Activity handled) = (spans[ActivityKind.Producer], spans[ActivityKind.Consumer]);
        Assert.Equal((sent.TraceId, sent.SpanId), (handled.TraceId, handled.ParentSpanId));
        Check(sent, "publish", "send", "farm.v1", "Note");
        Check(handled, "process", "process", "farm.v1", "Note");
        Assert.Equal(3, sent.GetTagItem("messaging.message.body.size")); // a tag, and 300
        Assert.Equal(3, handled.GetTagItem("messaging.message.body.size"));
        Assert.Equal(sent.GetTagItem("messaging.message.id"), Assert.Single(farm.All).Id);
    }

    /// <summary>What its reader does meanwhile is no part of it.</summary>
    [Fact]
    public async Task AStreamHasThemUntilItsLastItemWasTaken()
    {
        await ServeAsync(new TestService());
        ITestService client = (await ConnectAsync()).For<ITestService>();
        using Activity mine = new Activity("reading").Start();
        await foreach (int item in client.Count(1, 10, Cancel))
        {
            Assert.InRange(item, 1, 10);
            Assert.DoesNotContain(_ended, static span => span.Kind == ActivityKind.Client);
            Assert.Same(mine, Activity.Current);
        }

        Assert.Same(mine, Activity.Current);
        Dictionary<ActivityKind, Activity> spans = Ended(2);
        (Activity sent, Activity handled) = (spans[ActivityKind.Client], spans[ActivityKind.Server]);
        Assert.Equal((mine.SpanId, sent.SpanId), (sent.ParentSpanId, handled.ParentSpanId));
        Check(sent, "publish", "send", "test.v1", "Count");
        Check(handled, "process", "process", "test.v1", "Count");
        Assert.All(spans.Values, static span => Assert.Equal((ActivityStatusCode.Unset, null), (span.Status, span.GetTagItem("error.type"))));
    }

    [Fact]
    public async Task AStreamThatFailsAfterSomeItemsHasItsFailure()
    {
        await ServeAsync(new TestService());
        ITestService client = (await ConnectAsync()).For<ITestService>();
        int items = 0;
        await FailsAsync(RpcStatus.NotFound, async () =>
        {
            await foreach (byte[] item in client.Blobs(10, 3, "NotFound", Cancel))
                items += item.Length / 10;
        });
        Assert.Equal(3, items);
        Assert.All(Ended(2).Values, static span => Assert.Equal((ActivityStatusCode.Error, "NotFound"), (span.Status, span.GetTagItem("error.type"))));
    }

    /// <summary>Its reader may leave it, or be elsewhere when its token fires: both end it. Whoever fires the token runs nothing of that.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AStreamThatIsLeftHasAnEnd(bool isCancelled)
    {
        await ServeAsync(new TestService());
        using CancellationTokenSource source = new();
        await using IAsyncEnumerator<int> items = (await ConnectAsync()).For<ITestService>().Count(1, int.MaxValue, source.Token).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        using Activity mine = new Activity("leaving").Start();
        if (isCancelled)
            source.Cancel(); // here: what it runs could have changed what is current here
        else
            await items.DisposeAsync();
        Assert.Same(mine, Activity.Current);
        Activity sent = Ended(2)[ActivityKind.Client];
        Assert.Equal(!isCancelled, _threads[sent] == Thread.CurrentThread);
        Assert.Equal(
            isCancelled ? (ActivityStatusCode.Error, typeof(OperationCanceledException).FullName) : (ActivityStatusCode.Unset, null),
            (sent.Status, sent.GetTagItem("error.type")));
    }

    /// <summary>It may be left before anybody has its span: then the wait for its beginning ends that.</summary>
    [Fact]
    public async Task AStreamThatIsLeftWhileItBeginsHasNoFailure()
    {
        await ServeAsync(new TestService());
        using Activity mine = new Activity("leaving").Start();
        IAsyncEnumerator<int> items = (await ConnectAsync()).For<ITestService>().Count(1, 10, Cancel).GetAsyncEnumerator(Cancel);
        _started = activity =>
        {
            if (activity.Parent == mine)
                _ = items.DisposeAsync().AsTask();
        };
        await FailsAsync(RpcStatus.Cancelled, () => items.MoveNextAsync().AsTask());
        Watchdog.Until(() => _ended.Any(static span => span.Kind == ActivityKind.Client), "the span to end");
        Activity sent = _ended.Single(static span => span.Kind == ActivityKind.Client);
        Assert.Equal((ActivityStatusCode.Unset, null), (sent.Status, sent.GetTagItem("error.type")));
    }

    [Fact]
    public async Task ARequestThatIsTooLargeHasItsFailure()
    {
        await ServeAsync(new TestService());
        ClientOptions.MaxMessageBytes = 100;
        ITestService client = (await ConnectAsync()).For<ITestService>();
        await FailsAsync(RpcStatus.ResourceExhausted, () => Task.Run(() => client.Throw(new string('x', 200))));
        Activity sent = Ended(1)[ActivityKind.Client];
        Assert.Equal((ActivityStatusCode.Error, "ResourceExhausted"), (sent.Status, sent.GetTagItem("error.type")));
    }

    [Fact]
    public async Task AnUploadWhoseSourceThrowsHasThatFailure()
    {
        await ServeAsync(TestsRpc.Service(new ManagedTests()));
        ITests client = (await ConnectAsync()).For<ITests>();
        await Assert.ThrowsAsync<InvalidOperationException>(() => client.CollectAsync(new CountRequest(), Throwing(), Cancel).WaitAsync(Patience, Cancel));
        Activity sent = Ended(2)[ActivityKind.Client];
        Assert.Equal((ActivityStatusCode.Error, typeof(InvalidOperationException).FullName), (sent.Status, sent.GetTagItem("error.type")));
    }

    /// <summary>What is wrong with the answer, or with who is told of it, is the call's failure as well.</summary>
    [Fact]
    public async Task ACallWhoseAnswerCannotBeTakenHasAFailure()
    {
        await ServeAsync(new TestService());
        ITestService client = (await ConnectAsync()).Caller.WithAnswer(static _ => throw new InvalidOperationException("no")).For<ITestService>();
        await Assert.ThrowsAsync<InvalidOperationException>(() => client.AddAsync(2, 3, Cancel).AsTask().WaitAsync(Patience, Cancel));
        Activity sent = Ended(2)[ActivityKind.Client];
        Assert.Equal((ActivityStatusCode.Error, typeof(InvalidOperationException).FullName), (sent.Status, sent.GetTagItem("error.type")));
    }

    [Fact]
    public async Task AFailureHasItsStatus()
    {
        await ServeAsync(new TestService());
        ITestService client = (await ConnectAsync()).For<ITestService>();
        await FailsAsync(RpcStatus.NotFound, () => Task.Run(() => client.Throw("NotFound")));
        Assert.All(Ended(2).Values, static span => Assert.Equal((ActivityStatusCode.Error, "NotFound"), (span.Status, span.GetTagItem("error.type"))));
    }

    /// <summary>Nobody has answered it: whoever gets it next has a span of his own.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ARequestWhoseServerGoesHasAFailureThere(bool isExport)
    {
        TaskCompletionSource handling = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Farm farm = new("one")
        {
            Before = cancel =>
            {
                handling.TrySetResult();
                return Task.Delay(Timeout.Infinite, cancel);
            },
        };
        using RpcServer? here = isExport ? RpcServer.Start(Service + "-here", FarmRpc.Service(farm)) : null;
        RabbitMqServer? server = isExport ? null : await ServeAsync(FarmRpc.Service(farm));
        if (isExport)
            Mine(RabbitMqExport.Start(Service + "-here", Address, new RabbitMqExportOptions { Broker = ServerOptions }));
        ClientOptions.WaitForReady = true;
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        Task<string> call = (await ConnectAsync()).For<IFarm>().DoAsync(1, stop.Token).AsTask();
        await handling.Task.WaitAsync(Patience, Cancel);
        here?.Dispose();
        if (server is not null)
            await server.DisposeAsync();
        Watchdog.Until(() => !_ended.IsEmpty, "the span to end");
        Assert.True(_ended.TryPeek(out Activity? handled));
        Assert.Equal(ActivityKind.Server, handled.Kind);
        Assert.Equal(ActivityStatusCode.Error, handled.Status);
        if (isExport)
            Assert.Equal("Unavailable", handled.GetTagItem("error.type"));
        else
            Assert.NotNull(handled.GetTagItem("error.type"));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => call.WaitAsync(Patience, Cancel));
    }

    private static async IAsyncEnumerable<Blob> Throwing()
    {
        yield return new Blob { Data = [1] };
        await Task.Yield();
        throw new InvalidOperationException("no more");
    }

    private Dictionary<ActivityKind, Activity> Ended(int count)
    {
        Watchdog.Until(() => _ended.Count == count, "the spans to end");
        return _ended.ToDictionary(static span => span.Kind);
    }

    private void Check(Activity span, string operation, string type, string service, string method)
    {
        Assert.Equal(service + "/" + method, span.DisplayName);
        Assert.Equal(
            ["rabbitmq", operation, type, "ipc." + Service, "ipc." + Service, "ipc", service, method],
            new[]
            {
                "messaging.system", "messaging.operation.name", "messaging.operation.type", "messaging.destination.name",
                "messaging.rabbitmq.destination.routing_key", "rpc.system", "rpc.service", "rpc.method",
            }.Select(name => span.GetTagItem(name) as string));
        Assert.Equal(32, (span.GetTagItem("messaging.message.id") as string)?.Length);
    }
}
