using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What goes wrong between a caller and a handler on another machine, and how it ends.</summary>
public sealed class FaultTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private string Queue => "ipc." + Service;

    [Fact]
    public async Task WithoutABrokerItIsUnavailable()
    {
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => RabbitMqClient.ConnectAsync(AddressAt(1), ClientOptions, Cancel));
        Assert.True(failure.IsUnsent);
        await FailsAsync(RpcStatus.Unavailable, () => RabbitMqServer.StartAsync(AddressAt(1)));
    }

    [Fact]
    public async Task WrongCredentialsAndAMissingHostAreRefused()
    {
        RpcCallException failure = await FailsAsync(RpcStatus.Unauthenticated, () => RabbitMqClient.ConnectAsync(AddressAt(Broker.Port, "guest:wrong-secret"), ClientOptions, Cancel));
        Assert.DoesNotContain("wrong-secret", failure.ToString(), StringComparison.Ordinal);
        failure = await FailsAsync(RpcStatus.Unauthenticated, () => RabbitMqClient.ConnectAsync(AddressAt(Broker.Port, host: "nowhere"), ClientOptions, Cancel));
        Assert.Contains("nowhere", failure.Message, StringComparison.Ordinal);
        await FailsAsync(RpcStatus.Unauthenticated, () => RabbitMqServer.StartAsync(AddressAt(Broker.Port, host: "nowhere")));
    }

    [Theory]
    [InlineData("http://a/b")]
    [InlineData("amqp://a")]
    [InlineData("amqp://a/b/c/d")]
    [InlineData("amqp://a/b/c%20d")]
    [InlineData("amqp://a/b?c=d")]
    [InlineData("amqp://a,/b")]
    [InlineData("amqp://a:1,b:c/d")]
    [InlineData("amqp://a,b?c=d/e")]
    [InlineData("amqp://a,b#c/d")]
    [InlineData("amqp://a,b@c,d:5/x/y/z")]
    public async Task WhatIsNoAddressIsSaidToBeNone(string address) =>
        await Assert.ThrowsAsync<ArgumentException>(nameof(address), () => RabbitMqClient.ConnectAsync(address, null, Cancel));

    [Theory]
    [InlineData("amqp://a/s", "a:5672", "guest", "guest", "/", "s")]
    [InlineData("amqps://a/s", "a:5671", "guest", "guest", "/", "s")]
    [InlineData("amqp://me:pass,word@a:1,b,[::1]:3/v%2Fw,x/s", "a:1 b:5672 [::1]:3", "me", "pass,word", "v/w,x", "s")]
    [InlineData("amqps://me,you@a,b:2/s", "a:5671 b:2", "me,you", "", "/", "s")]
    public void AnAddressIsTakenApart(string address, string nodes, string user, string password, string host, string service)
    {
        RabbitMqAddress parsed = RabbitMqAddress.Parse(address);
        Assert.Equal(nodes, string.Join(' ', parsed.Nodes.Select(static node => node.Host + ":" + node.Port)));
        Assert.Equal((user, password, host, service), (parsed.User, parsed.Password, parsed.VirtualHost, parsed.Service));
    }

    /// <summary>A slash that nobody escaped ends the host.</summary>
    [Theory]
    [InlineData("amqp://me:12/secret@host/store")]
    [InlineData("amqp://me:12/secret@host")]
    public async Task AnAddressThatIsTakenApartWronglyDoesNotShowItsPassword(string address)
    {
        ArgumentException e = await Assert.ThrowsAsync<ArgumentException>(nameof(address), () => RabbitMqClient.ConnectAsync(address, ClientOptions, Cancel));
        Assert.DoesNotContain("secret", e.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task WhoIsDisposedWhileItComesBackEnds()
    {
        RabbitMqAddress address = RabbitMqAddress.Parse(Address);
        TaskCompletionSource<Task> disposal = new();
        Recovery<Link>? recovery = null;
        int opened = 0;
        recovery = new Recovery<Link>(address, ClientOptions, "test of", connection => new Link(connection, address, () =>
        {
            if (++opened == 2)
                disposal.SetResult(recovery!.DisposeAsync().AsTask());
        }));
        await recovery.StartAsync(Cancel);
        recovery.Link!.End("lost");
        await (await disposal.Task.WaitAsync(Patience, Cancel)).WaitAsync(Patience, Cancel);
        Assert.Null(recovery.Link);
    }

    /// <summary>Its requests are nobody's who has started it: that call has ended long ago, with its deadline and its token.</summary>
    [Fact]
    public async Task AServerThatAHandlerStartsHasNothingOfThatCall()
    {
        Farm farm = new("one") { Before = async _ => await ServeAsync(TestServiceRpc.Service(new TestService()), ServerOptions) };
        using RpcServer outer = RpcServer.Start(Service, FarmRpc.Service(farm));
        using RpcClient starter = RpcClient.Connect(Service);
        await starter.WithDeadline(Deadline.After(TimeSpan.FromMinutes(1))).For<IFarm>().DoAsync(1, Cancel);
        Assert.Equal(-1, await (await ConnectAsync()).For<ITestService>().RemainingAsync(Cancel));
    }

    [Fact]
    public async Task WhereNobodyConsumesACallFailsAtOnce()
    {
        IFarm client = (await ConnectAsync()).For<IFarm>();
        Assert.True((await FailsAsync(RpcStatus.Unavailable, async () => await client.DoAsync(1, Cancel))).IsUnsent);
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => client.NoteAsync(1, Cancel));
        Assert.True(failure.IsUnsent); // returned: there is no queue
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(new Farm("gone")));
        Assert.Equal("gone", await client.DoAsync(1, Cancel));
        await server.DisposeAsync();
        RabbitMqClient other = await ConnectAsync();
        Assert.True((await FailsAsync(RpcStatus.Unavailable, async () => await other.For<IFarm>().DoAsync(1, Cancel))).IsUnsent);
        await client.NoteAsync(2, Cancel); // it waits in the queue
        Farm next = new("next");
        await ServeAsync(FarmRpc.Service(next));
        Watchdog.Until(() => next.All.Any(static one => one.Number == 2), "the one-way call to be handled");
    }

    [Fact]
    public async Task ACallWaitsForItsServer()
    {
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true;
        await (await ServeAsync(FarmRpc.Service(new Farm("gone")))).DisposeAsync();
        Task<string> call = (await ConnectAsync(options)).For<IFarm>().DoAsync(1, Cancel).AsTask();
        await ServeAsync(FarmRpc.Service(new Farm("come")));
        Assert.Equal("come", await call.WaitAsync(Patience, Cancel));
    }

    [Fact]
    public async Task CallsEndWhenTheirLastServerGoes()
    {
        TestService service = new();
        RabbitMqServer server = await ServeAsync(TestServiceRpc.Service(service), ServerOptions);
        Task<int> call = (await ConnectAsync()).For<ITestService>().WaitAsync("held", Cancel).AsTask();
        Watchdog.Until(() => service.GateOf("held").Entered == 1, "the handler to begin");
        await server.DisposeAsync();
        Assert.False((await FailsAsync(RpcStatus.Unavailable, () => call)).IsUnsent);
    }

    [Fact]
    public async Task WhatWasHandledAndNotAcknowledgedComesAgainMarked()
    {
        using BadNetwork network = new(Broker.EndPoint);
        Farm farm = new("one");
        farm.After = (number, _) =>
        {
            if (farm.All.Count == 1)
                network.Cut(); // after the work, before the answer
            return Task.CompletedTask;
        };
        await ServeAsync(FarmRpc.Service(farm), address: AddressAt(network.Port));
        Assert.Equal("one", await (await ConnectAsync()).For<IFarm>().DoAsync(7, Cancel).AsTask().WaitAsync(Patience, Cancel));
        Farm.Handled[] all = [.. farm.All];
        Assert.Equal([false, true], all.Select(static one => one.IsMarked));
        Assert.Single(all.Select(static one => one.Id).Distinct());
        Assert.NotNull(all[0].Id);
    }

    [Fact]
    public async Task AServerThatStopsGivesItsRequestsBack()
    {
        Farm one = new("one"), two = new("two");
        one.After = static (_, cancel) => Task.Delay(Timeout.Infinite, cancel);
        RabbitMqServer first = await ServeAsync(FarmRpc.Service(one));
        IFarm client = (await ConnectAsync()).For<IFarm>();
        Task<string> call = client.DoAsync(1, Cancel).AsTask();
        Task note = client.NoteAsync(2, Cancel);
        Watchdog.Until(() => one.All.Count == 2, "both to be in hand");
        await note;
        await ServeAsync(FarmRpc.Service(two));
        await first.StopAsync(TimeSpan.FromMilliseconds(50), Cancel);
        Assert.Equal("two", await call.WaitAsync(Patience, Cancel));
        Watchdog.Until(() => two.All.Count == 2, "the one-way call, too");
        Assert.All(two.All, static handled => Assert.True(handled.IsMarked));
    }

    [Fact]
    public async Task ALostConnectionEndsCallsAndIdempotentOnesAreMadeAgain()
    {
        using BadNetwork network = new(Broker.EndPoint);
        Farm farm = new("one");
        TaskCompletionSource go = new();
        farm.After = (_, cancel) => go.Task.WaitAsync(cancel);
        await ServeAsync(FarmRpc.Service(farm));
        RabbitMqClientOptions options = ClientOptions;
        options.Retry = new RpcRetryPolicy { Attempts = 50, FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(100) };
        IFarm client = (await ConnectAsync(options, AddressAt(network.Port))).For<IFarm>();
        Task<string> once = client.DoAsync(1, Cancel).AsTask(), again = client.DoAgainAsync(2, Cancel).AsTask();
        Watchdog.Until(() => farm.All.Count == 2, "both to be in hand");
        network.Cut();
        Assert.False((await FailsAsync(RpcStatus.Unavailable, () => once)).IsUnsent);
        Watchdog.Until(() => farm.All.Count == 3, "the one to be made again");
        go.SetResult();
        Assert.Equal("one", await again.WaitAsync(Patience, Cancel));
        Farm.Handled[] twice = [.. farm.All.Where(static handled => handled.Number == 2)];
        Assert.Equal([false, true], twice.Select(static handled => handled.IsMarked));
        Assert.Single(twice.Select(static handled => handled.Id).Distinct());
    }

    [Fact]
    public async Task ForeignMessagesAreSetAsideAndTheServerGoesOn()
    {
        List<RabbitMqDeadLetter> told = [];
        RabbitMqServerOptions options = ServerOptions;
        options.DeadLettered = letter =>
        {
            lock (told)
                told.Add(letter);
        };
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(new Farm("one")), options);
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        foreach (BasicProperties foreign in new[]
        {
            new BasicProperties(),
            new BasicProperties { Type = "ipc-rpc/1" },
            new BasicProperties { Type = "ipc-rpc/1", MessageId = "x", Headers = new Dictionary<string, object?> { ["ipc-method"] = 7 } },
            new BasicProperties { Type = "ipc-rpc/1", MessageId = new string('x', 200), Headers = new Dictionary<string, object?> { ["ipc-method"] = "farm.v1/Do" } },
            new BasicProperties { Type = "ipc-rpc/1", MessageId = "x", ReplyTo = "y", Headers = new Dictionary<string, object?> { ["ipc-method"] = "farm.v1/Do" } },
            new BasicProperties { Type = "ipc-rpc/1", MessageId = "not-protobuf", Headers = new Dictionary<string, object?> { ["ipc-method"] = "farm.v1/Note" } },
            new BasicProperties { Type = "ipc-rpc/1", MessageId = "unknown", Headers = new Dictionary<string, object?> { ["ipc-method"] = "no/method" } },
        })
        {
            await channel.BasicPublishAsync("", Queue, false, foreign, new byte[] { 0xff, 0xff, 0xff }, Cancel);
        }

        Watchdog.Until(() => server.DeadLetters == 7, "all to be set aside");
        Assert.Equal("one", await (await ConnectAsync()).For<IFarm>().DoAsync(1, Cancel));
        for (int i = 0; i < 7; i++)
        {
            BasicGetResult dead = (await channel.BasicGetAsync(Queue + ".dead", true, Cancel))!;
            Assert.Equal([0xff, 0xff, 0xff], dead.Body.ToArray());
            string reason = Encoding.UTF8.GetString((byte[])dead.BasicProperties.Headers!["ipc-reason"]!);
            Assert.Contains(told, letter => letter.Reason == reason);
        }

        Assert.Equal(5, told.Count(static letter => letter.Reason.StartsWith("foreign: ", StringComparison.Ordinal)));
        Assert.Contains(told, static letter => letter is { MessageId: "not-protobuf" } && letter.Reason.StartsWith("failed: InvalidArgument", StringComparison.Ordinal));
        Assert.Contains(told, static letter => letter is { MessageId: "unknown" } && letter.Reason.StartsWith("failed: Unimplemented", StringComparison.Ordinal));
    }

    [Fact]
    public async Task WhatEndsItsServerEachTimeIsPoison()
    {
        using BadNetwork network = new(Broker.EndPoint);
        Farm farm = new("one")
        {
            After = (_, cancel) =>
            {
                network.Cut(); // as the end of the process would
                return Task.Delay(Timeout.Infinite, cancel);
            },
        };
        RabbitMqServerOptions options = ServerOptions;
        options.MaxDeliveries = 3;
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(farm), options, AddressAt(network.Port));
        IFarm client = (await ConnectAsync()).For<IFarm>();
        RpcCallException failure = await FailsAsync(RpcStatus.Aborted, async () => await client.DoAsync(1, Cancel));
        Assert.Contains(Queue + ".dead", failure.Message, StringComparison.Ordinal);
        Assert.Equal(3, farm.All.Count);
        Assert.Equal(1, server.DeadLetters);
    }

    [Fact]
    public async Task AHandlerThatFailsAOneWayCallPutsItAside()
    {
        Farm farm = new("one") { After = static (_, _) => throw new InvalidOperationException("no luck") };
        TaskCompletionSource<RabbitMqDeadLetter> told = new();
        RabbitMqServerOptions options = ServerOptions;
        options.DeadLettered = told.SetResult;
        await ServeAsync(FarmRpc.Service(farm), options);
        await (await ConnectAsync()).For<IFarm>().NoteAsync(1, Cancel);
        RabbitMqDeadLetter letter = await told.Task.WaitAsync(Patience, Cancel);
        Assert.Contains("no luck", letter.Reason, StringComparison.Ordinal);
        Assert.Equal("farm.v1/Note", letter.Method);
    }

    [Fact]
    public async Task AnotherKindOfQueueIsRefused()
    {
        await ServeAsync(FarmRpc.Service(new Farm("one")));
        await FailsAsync(
            RpcStatus.FailedPrecondition,
            () => RabbitMqServer.StartAsync(Address, new RabbitMqServerOptions { QueueKind = RabbitMqQueueKind.Classic }, FarmRpc.Service(new Farm("two"))));
    }

    [Fact]
    public async Task ADeletedQueueIsDeclaredAnew()
    {
        await ServeAsync(FarmRpc.Service(new Farm("one")));
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        await channel.QueueDeleteAsync(Queue, cancellationToken: Cancel);
        RabbitMqClientOptions options = ClientOptions;
        options.Retry = new RpcRetryPolicy { Attempts = 1000, LongestPause = TimeSpan.FromMilliseconds(50), FirstPause = TimeSpan.FromMilliseconds(20) };
        Assert.Equal("one", await (await ConnectAsync(options)).For<IFarm>().DoAsync(1, Cancel).AsTask().WaitAsync(Patience, Cancel));
    }

    private sealed class Link(IConnection connection, RabbitMqAddress address, Action opening) : BrokerLink(connection, address)
    {
        public override Task OpenAsync(CancellationToken cancellationToken)
        {
            opening();
            return Task.CompletedTask;
        }

        public override void Fail(string reason)
        {
        }
    }
}
