using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What tracing shows of a request at a broker: kinds, parents, and the attributes of the conventions for messaging.</summary>
public sealed class SpanTests : RabbitMqTest
{
    private readonly ConcurrentQueue<Activity> _ended = new();

    public SpanTests(BrokerProcess broker)
        : base(broker)
    {
        ActivityListener listener = Own(new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ipc.Rpc.RabbitMq",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (activity.GetTagItem("messaging.destination.name") as string == "ipc." + Service) // other tests run at the same time
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

    [Fact]
    public async Task AStreamHasThemToo()
    {
        await ServeAsync(new TestService());
        await foreach (int item in (await ConnectAsync()).For<ITestService>().Count(1, 10, Cancel))
            Assert.InRange(item, 1, 10);
        Dictionary<ActivityKind, Activity> spans = Ended(2);
        Check(spans[ActivityKind.Client], "publish", "send", "test.v1", "Count");
        Check(spans[ActivityKind.Server], "process", "process", "test.v1", "Count");
    }

    [Fact]
    public async Task AFailureHasItsStatus()
    {
        await ServeAsync(new TestService());
        ITestService client = (await ConnectAsync()).For<ITestService>();
        await FailsAsync(RpcStatus.NotFound, () => Task.Run(() => client.Throw("NotFound")));
        Assert.All(Ended(2).Values, static span => Assert.Equal((ActivityStatusCode.Error, "NotFound"), (span.Status, span.GetTagItem("error.type"))));
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
