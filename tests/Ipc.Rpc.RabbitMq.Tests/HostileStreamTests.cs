using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Ends of a stream that are none of this library's, and do not keep to what was agreed.</summary>
public sealed class HostileStreamTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Tap _tap = new();

    private string Queue => "ipc." + Service;

    /// <summary>What a server sends, in words: B begins, a number is an item, E and a number an end after so many.</summary>
    [Theory]
    [InlineData("B 1 3", RpcStatus.DataLoss, "Item 3 came where 2 had to")]
    [InlineData("B 1 1", RpcStatus.DataLoss, "Item 1 came where 2 had to")]
    [InlineData("B 1 -1", RpcStatus.DataLoss, "Item -1 came where 2 had to")]
    [InlineData("B 1 2 3 4 5", RpcStatus.ResourceExhausted, "no credit")]
    [InlineData("B 1 E2", RpcStatus.DataLoss, "after 2 items, of which 1 came")]
    [InlineData("B 1 E", RpcStatus.DataLoss, "unknown number")]
    [InlineData("B 1 B", RpcStatus.DataLoss, "began again after 1 items")]
    [InlineData("B 1 none", RpcStatus.DataLoss, "neither")]
    [InlineData("B 1 status", RpcStatus.DataLoss, "status 99")]
    [InlineData("B 1 nonsense", RpcStatus.Internal, "decoded")]
    [InlineData("B long", RpcStatus.ResourceExhausted, "bytes")]
    [InlineData("1", RpcStatus.DataLoss, "before the stream had begun")]
    [InlineData("E0", RpcStatus.DataLoss, "older than streams")]
    [InlineData("nowhere", RpcStatus.DataLoss, "where its server listens")]
    [InlineData("B gone", RpcStatus.Unavailable, "has gone")]
    public async Task AServerThatDoesNotCountIsSaidNotTo(string words, RpcStatus status, string text)
    {
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string listens = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        bool goesOn = words.EndsWith("4 5", StringComparison.Ordinal), hasSaidAll = false;
        await ConsumeAsync(channel, async request =>
        {
            foreach (string word in (goesOn && hasSaidAll ? "status" : words).Split(' '))
                await SayAsync(channel, request, word, listens);
            hasSaidAll = true;
        });
        RabbitMqClientOptions options = ClientOptions;
        options.StreamWindow = 4;
        options.StreamLease = TimeSpan.FromSeconds(1);
        options.MaxMessageBytes = 1000;
        ITap client = (await ConnectAsync(options)).For<ITap>();
        int count = 0;
        RpcCallException failure = await FailsAsync(status, async () =>
        {
            await using IAsyncEnumerator<int> items = client.Run(1, "", Cancel).GetAsyncEnumerator(Cancel);
            if (goesOn)
            {
                await Task.WhenAny(items.MoveNextAsync().AsTask()); // and takes no second one, which would give further credit,
                Assert.Throws<RpcCallException>(() => client.Add(1, 2)); // before this answer, which comes behind them all
            }

            while (await items.MoveNextAsync())
                count++;
        });
        Assert.Contains(text, failure.Message, StringComparison.Ordinal);
        Assert.Equal("Run", failure.Method);
    }

    /// <summary>The first server goes when it has begun, and before the broker knows.</summary>
    [Fact]
    public async Task AStreamThatHasSentNothingBeginsAtAnotherServerMarked()
    {
        IConnection connection = await OpenAsync();
        IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string listens = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        TaskCompletionSource begun = new();
        await ConsumeAsync(channel, async request =>
        {
            await SayAsync(channel, request, "B", listens);
            begun.SetResult();
        });
        ITap client = (await ConnectAsync()).For<ITap>();
        await using IAsyncEnumerator<int> items = client.Run(2000, "", Cancel).GetAsyncEnumerator(Cancel);
        Task<bool> first = items.MoveNextAsync().AsTask();
        await begun.Task.WaitAsync(Patience, Cancel);
        await ServeAsync(TapRpc.Service(_tap));
        await connection.DisposeAsync();
        Assert.True(await first.WaitAsync(Patience, Cancel));
        int count = 1;
        while (await items.MoveNextAsync())
            Assert.Equal(count++, items.Current);
        Assert.Equal(2000, count);
        Assert.Equal("1", _tap.Mark);
    }

    [Fact]
    public async Task AForeignClientGetsWhatItGaveCreditForAndNoMore()
    {
        await ServeAsync(TapRpc.Service(_tap));
        await using Foreign foreign = await AskAsync(new() { ["ipc-credit"] = 10 }, 1000);
        IReadOnlyBasicProperties begun = await foreign.NextAsync();
        Assert.Equal(0, Wire.NumberOf(begun.Headers, "ipc-item"));
        for (int i = 1; i <= 10; i++)
            Assert.Equal(i, Wire.NumberOf((await foreign.NextAsync()).Headers, "ipc-item"));
        Watchdog.Until(() => _tap.Produced > 10, "the producer to be as far ahead as it may");
        ITap client = (await ConnectAsync()).For<ITap>();
        for (int i = 0; i < 100; i++)
            Assert.Equal(i, client.Add(i, 0));
        Assert.Equal(0u, await foreign.CountAsync());
        await foreign.SayAsync(begun, new() { ["ipc-credit"] = 2000, ["ipc-credit-bytes"] = 64 }); // bytes are left of the first credit
        for (int i = 11; i <= 1000; i++)
            Assert.Equal(i, Wire.NumberOf((await foreign.NextAsync()).Headers, "ipc-item"));
        IReadOnlyBasicProperties end = await foreign.NextAsync();
        Assert.Equal((0L, 1000L), (Wire.NumberOf(end.Headers, "ipc-status"), Wire.NumberOf(end.Headers, "ipc-count")));
        await foreign.SayAsync(begun, null);
        Assert.Equal((long)RpcStatus.Unavailable, Wire.NumberOf((await foreign.NextAsync()).Headers, "ipc-status")); // it is not there any more
    }

    [Theory]
    [InlineData(1L << 31, 1L)]
    [InlineData(long.MaxValue, 1L)]
    [InlineData(1L, long.MaxValue)]
    [InlineData(-1L, 1L)]
    [InlineData(1L, -1L)]
    public async Task CreditThatIsNoneEndsTheStream(long items, long bytes)
    {
        await ServeAsync(TapRpc.Service(_tap));
        await using Foreign foreign = await AskAsync(new() { ["ipc-credit"] = 1 }, 1000);
        IReadOnlyBasicProperties begun = await foreign.NextAsync();
        Assert.Equal(1, Wire.NumberOf((await foreign.NextAsync()).Headers, "ipc-item"));
        await foreign.SayAsync(begun, new() { ["ipc-credit"] = 1L, ["ipc-credit-bytes"] = 100L });
        Assert.Equal(2, Wire.NumberOf((await foreign.NextAsync()).Headers, "ipc-item"));
        await foreign.SayAsync(begun, new() { ["ipc-credit"] = 1L });
        Assert.Equal(3, Wire.NumberOf((await foreign.NextAsync()).Headers, "ipc-item"));
        await foreign.SayAsync(begun, new() { ["ipc-credit"] = items, ["ipc-credit-bytes"] = bytes });
        await foreign.SayAsync(begun, null); // does not mend it
        IReadOnlyBasicProperties end = await foreign.NextAsync();
        while (Wire.NumberOf(end.Headers, "ipc-item") is > 0)
            end = await foreign.NextAsync(); // 2^31 of credit beside none is no overflow
        if (items == 1L << 31)
            Assert.Equal((0L, 1000L), (Wire.NumberOf(end.Headers, "ipc-status"), Wire.NumberOf(end.Headers, "ipc-count")));
        else
            Assert.Equal((long)RpcStatus.InvalidArgument, Wire.NumberOf(end.Headers, "ipc-status"));
        Watchdog.Until(() => _tap.Ended == 1, "the handler to be told");
    }

    [Theory]
    [InlineData("ipc-credit", 0)]
    [InlineData("ipc-credit", 70_000)]
    [InlineData("ipc-credit", "many")]
    [InlineData("ipc-credit-bytes", 0)]
    [InlineData("ipc-lease", 10)]
    public async Task ARequestThatCannotBeIsRefused(string header, object value)
    {
        await ServeAsync(TapRpc.Service(_tap));
        Dictionary<string, object?> headers = new() { ["ipc-credit"] = 1 };
        headers[header] = value;
        await using Foreign foreign = await AskAsync(headers, 1000);
        IReadOnlyBasicProperties answer = await foreign.NextAsync();
        Assert.Equal((long)RpcStatus.InvalidArgument, Wire.NumberOf(answer.Headers, "ipc-status"));
        Assert.Contains(header, Wire.TextOf(answer.Headers, "ipc-text"), StringComparison.Ordinal);
        Assert.Equal(0, _tap.Produced);
    }

    [Fact]
    public async Task AStreamToNobodyIsSetAside()
    {
        RabbitMqServer server = await ServeAsync(TapRpc.Service(_tap), ServerOptions);
        await using Foreign foreign = await AskAsync(new() { ["ipc-credit"] = 1 }, 1000, replyTo: false);
        Watchdog.Until(() => server.DeadLetters == 1, "it to be set aside");
        await foreign.SayAsync(new BasicProperties { ReplyTo = Queue, MessageId = "what is this" }, null); // no request either
        Watchdog.Until(() => server.DeadLetters == 2, "that, too");
        Assert.Equal(0, _tap.Produced);
    }

    /// <summary>Until its connection has closed it gets requests; whoever begins one then ends it at once.</summary>
    [Fact]
    public async Task AServerThatEndsItsStreamsLeavesNewOnesToOthers()
    {
        RabbitMqAddress address = RabbitMqAddress.Parse(Address);
        using RpcServer inner = RpcServer.Start(Service, TapRpc.Service(_tap));
        using RpcClient within = RpcClient.Connect(Service);
        IConnection connection = await Ipc.Rpc.RabbitMq.Broker.ConnectAsync(address, ServerOptions, "test of", new Attempts(ClientOptions), Cancel);
        using Replies replies = new(address, ServerOptions);
        ServerLink link = new(connection, address, ServerOptions, new RequestHandler(within, null), replies);
        await link.OpenAsync(Cancel);
        await link.EndStreamsAsync();
        ITap client = (await ConnectAsync()).For<ITap>();
        await using IAsyncEnumerator<int> items = client.Run(1, "", Cancel).GetAsyncEnumerator(Cancel);
        Task<bool> first = items.MoveNextAsync().AsTask();
        for (int i = 0; i < 100; i++)
            Assert.Equal(i, client.Add(i, 0));
        Assert.Equal(0, _tap.Produced);
        Assert.False(first.IsCompleted);
        Tap other = new();
        await ServeAsync(TapRpc.Service(other));
        await link.CloseAsync();
        Assert.True(await first.WaitAsync(Patience, Cancel));
        Assert.Equal("1", other.Mark);
    }

    private async Task ConsumeAsync(IChannel channel, Func<IReadOnlyBasicProperties, Task> serve)
    {
        Dictionary<string, object?> kind = new() { ["x-queue-type"] = "quorum", ["x-delivery-limit"] = 1000 };
        await channel.QueueDeclareAsync(Queue, durable: true, exclusive: false, autoDelete: false, kind, cancellationToken: Cancel);
        AsyncEventingBasicConsumer consumer = new(channel);
        consumer.ReceivedAsync += (_, message) => serve(message.BasicProperties);
        await channel.BasicConsumeAsync(Queue, autoAck: false, consumer, Cancel);
    }

    private static async Task SayAsync(IChannel channel, IReadOnlyBasicProperties request, string word, string listens)
    {
        Dictionary<string, object?> headers = new();
        BasicProperties properties = new() { Type = "ipc-rpc/1", CorrelationId = request.CorrelationId, Headers = headers };
        byte[] body = [];
        switch (word)
        {
            case "B":
                headers["ipc-item"] = 0;
                (properties.ReplyTo, properties.MessageId) = (listens, "key");
                break;
            case "nowhere":
                headers["ipc-item"] = 0;
                break;
            case "gone":
                await channel.QueueDeleteAsync(listens, cancellationToken: Cancel);
                return;
            case "none":
                break;
            case "status":
                headers["ipc-status"] = 99;
                break;
            case "nonsense":
                headers["ipc-item"] = 2;
                body = [0xff, 0xff];
                break;
            case "long":
                headers["ipc-item"] = 1;
                body = new byte[2000];
                break;
            case "E":
                headers["ipc-status"] = 0;
                break;
            case { } end when end[0] == 'E':
                headers["ipc-status"] = 0;
                headers["ipc-count"] = int.Parse(end[1..], System.Globalization.CultureInfo.InvariantCulture);
                break;
            default:
                headers["ipc-item"] = int.Parse(word, System.Globalization.CultureInfo.InvariantCulture);
                break;
        }

        await channel.BasicPublishAsync("", request.ReplyTo!, false, properties, body, Cancel);
    }

    /// <summary>Asks for numbers as a program without this library does, with a queue of its own for the answers.</summary>
    private async Task<Foreign> AskAsync(Dictionary<string, object?> headers, int count, bool replyTo = true)
    {
        IConnection connection = await OpenAsync();
        IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string answers = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        headers["ipc-method"] = "tap.v1/Run";
        BasicProperties properties = new() { Type = "ipc-rpc/1", MessageId = Guid.NewGuid().ToString("N"), CorrelationId = "c", Headers = headers };
        if (replyTo)
            properties.ReplyTo = answers;
        await channel.BasicPublishAsync("", Queue, false, properties, new byte[] { 0x08, (byte)(count | 0x80), (byte)(count >> 7) }, Cancel);
        return new Foreign(connection, channel, answers);
    }

    private sealed class Foreign(IConnection connection, IChannel channel, string answers) : IAsyncDisposable
    {
        public async Task<IReadOnlyBasicProperties> NextAsync()
        {
            using CancellationTokenSource patience = new(Patience);
            while (true)
            {
                if (await channel.BasicGetAsync(answers, true, patience.Token) is { } answer)
                    return answer.BasicProperties;
                await Task.Delay(5, patience.Token); // between two looks
            }
        }

        public async Task<uint> CountAsync() => await channel.MessageCountAsync(answers, Cancel);

        public async Task SayAsync(IReadOnlyBasicProperties begun, Dictionary<string, object?>? headers) =>
            await channel.BasicPublishAsync(
                "", begun.ReplyTo!, true,
                new BasicProperties { Type = "ipc-rpc/1", MessageId = begun.MessageId, CorrelationId = "c", ReplyTo = answers, Headers = headers }, ReadOnlyMemory<byte>.Empty, Cancel);

        public ValueTask DisposeAsync() => connection.DisposeAsync();
    }
}
