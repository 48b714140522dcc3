using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Ends of a stream to a server that are none of this library's, and do not keep to what was agreed.</summary>
public sealed class HostileUploadTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Sink _sink = new();

    private string Queue => "ipc." + Service;

    /// <summary>What a client sends, in words: a number is an item, E and a number an end after so many.</summary>
    [Theory]
    [InlineData("", "1 3", RpcStatus.DataLoss, "Item 3 came where 2 had to")]
    [InlineData("", "2", RpcStatus.DataLoss, "Item 2 came where 1 had to")]
    [InlineData("", "1 1", RpcStatus.DataLoss, "Item 1 came where 2 had to")]
    [InlineData("", "0", RpcStatus.DataLoss, "Item 0 came where 1 had to")]
    [InlineData("", "1 -1", RpcStatus.DataLoss, "Item -1 came where 2 had to")]
    [InlineData("hold", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40", RpcStatus.ResourceExhausted, "no credit")]
    [InlineData("", "1 E2", RpcStatus.DataLoss, "after 2 items, of which 1 came")]
    [InlineData("", "1 E0", RpcStatus.DataLoss, "after 0 items, of which 1 came")]
    [InlineData("", "1 odd-end", RpcStatus.DataLoss, "unknown number")]
    [InlineData("", "1 none", RpcStatus.DataLoss, "neither")]
    [InlineData("wait", "1 E1 2", RpcStatus.DataLoss, "after the end")]
    [InlineData("", "long", RpcStatus.ResourceExhausted, "bytes")]
    [InlineData("", "nonsense", RpcStatus.InvalidArgument, "decoded")]
    public async Task AClientThatDoesNotCountIsSaidNotTo(string how, string words, RpcStatus status, string text)
    {
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), Narrow());
        ISink client = (await ConnectAsync()).For<ISink>();
        Channelled good = new();
        Task<long> beside = client.TakeAsync("", good, Cancel);
        Watchdog.Until(() => _sink.Begun == 1, "the other one to begin");
        await using Foreign foreign = await AskAsync("sink.v1/Take", new() { ["ipc-sends"] = 1 }, how);
        (IReadOnlyBasicProperties begun, _) = await foreign.NextAsync();
        Assert.Equal((0L, 4L), (Wire.NumberOf(begun.Headers, "ipc-item"), Wire.NumberOf(begun.Headers, "ipc-credit")));
        foreach (string word in words.Split(' '))
        {
            await foreign.SendAsync(begun, word);
            if (how == "wait" && word == "E1")
                Watchdog.Until(() => _sink.Whole == 1, "the handler to have had the end");
        }

        IReadOnlyBasicProperties end = await foreign.LastAsync();
        Assert.Equal((long)status, Wire.NumberOf(end.Headers, "ipc-status"));
        Assert.Contains(text, Wire.TextOf(end.Headers, "ipc-text"), StringComparison.Ordinal);
        Watchdog.Until(() => _sink.Ended == _sink.Begun - 1 && server.RequestsInHand == 1, "its handler to be told");
        Assert.Equal(how == "wait" ? 1 : 0, _sink.Whole);
        for (int i = 0; i < 300; i++)
            await foreign.SendAsync(begun, "1"); // it is not there any more
        good.Finish(20);
        Assert.Equal(210, await beside.WaitAsync(Patience, Cancel));
        Assert.Equal(0, server.DeadLetters);
    }

    /// <summary>And credit as it consumes, no less and no more.</summary>
    [Fact]
    public async Task AForeignClientIsToldHowMuchItMaySend()
    {
        await ServeAsync(SinkRpc.Service(_sink), Narrow());
        await using Foreign foreign = await AskAsync("sink.v1/Take", new() { ["ipc-sends"] = 1 }, "");
        (IReadOnlyBasicProperties begun, _) = await foreign.NextAsync();
        long credit = (long)Wire.NumberOf(begun.Headers, "ipc-credit")!;
        Assert.Equal(1 << 20, Wire.NumberOf(begun.Headers, "ipc-credit-bytes"));
        long given = 0;
        for (int i = 1; i <= 500; i++)
        {
            while (credit == 0)
            {
                (IReadOnlyBasicProperties more, _) = await foreign.NextAsync();
                Assert.Null(Wire.NumberOf(more.Headers, "ipc-item"));
                long items = (long)Wire.NumberOf(more.Headers, "ipc-credit")!;
                Assert.InRange(items, 1, 4);
                credit += items;
                given += items;
            }

            await foreign.SendAsync(begun, i.ToString(CultureInfo.InvariantCulture));
            credit--;
        }

        await foreign.SendAsync(begun, "E500");
        await foreign.SendAsync(begun, "E500"); // an end after an end is nothing
        (IReadOnlyBasicProperties answer, byte[] body) = await foreign.NextAsync();
        while (Wire.NumberOf(answer.Headers, "ipc-status") is null)
            (answer, body) = await foreign.NextAsync();
        Assert.Equal(0L, Wire.NumberOf(answer.Headers, "ipc-status"));
        Assert.Null(Wire.NumberOf(answer.Headers, "ipc-count"));
        Assert.Equal([0x08, 0xc2, 0xd2, 0x07], body); // 125250
        Assert.InRange(given, 496, 500);
        Assert.Equal(1, _sink.Whole);
    }

    [Fact]
    public async Task CreditForWhatNobodySendsIsNothing()
    {
        await ServeAsync(SinkRpc.Service(_sink), Narrow());
        await using Foreign foreign = await AskAsync("sink.v1/Take", new() { ["ipc-sends"] = 1 }, "");
        (IReadOnlyBasicProperties begun, _) = await foreign.NextAsync();
        await foreign.SayAsync(begun, new() { ["ipc-credit"] = long.MaxValue, ["ipc-credit-bytes"] = -1L });
        await foreign.SendAsync(begun, "1");
        await foreign.SendAsync(begun, "E1");
        Assert.Equal(0L, Wire.NumberOf((await foreign.LastAsync()).Headers, "ipc-status"));
    }

    [Fact]
    public async Task ItemsForACallThatAnnouncedNoneEndItAlone()
    {
        Tap tap = new();
        await ServeAsync(new RpcService("both.v1", [.. SinkRpc.Service(_sink).Handlers, .. TapRpc.Service(tap).Handlers]), Narrow());
        await using Foreign sends = await AskAsync("sink.v1/Take", new() { ["ipc-sends"] = 1 }, "");
        (IReadOnlyBasicProperties to, _) = await sends.NextAsync();
        await using Foreign asks = await AskAsync("tap.v1/Run", new() { ["ipc-credit"] = 1 }, null);
        (IReadOnlyBasicProperties begun, _) = await asks.NextAsync();
        Assert.Null(Wire.TextOf(begun.Headers, "ipc-to"));
        Assert.Equal(1, Wire.NumberOf((await asks.NextAsync()).Properties.Headers, "ipc-item")); // its handler has begun
        await asks.SendAsync(begun, "1", Wire.TextOf(to.Headers, "ipc-to"));
        IReadOnlyBasicProperties end = await asks.LastAsync();
        Assert.Equal((long)RpcStatus.ResourceExhausted, Wire.NumberOf(end.Headers, "ipc-status"));
        Watchdog.Until(() => tap.Ended == 1, "the handler to be told");
        await sends.SendAsync(to, "1");
        await sends.SendAsync(to, "E1");
        Assert.Equal(0L, Wire.NumberOf((await sends.LastAsync()).Headers, "ipc-status"));
    }

    /// <summary>They do not gather either: what the broker holds for the server goes.</summary>
    [Fact]
    public async Task ItemsForNobodyAreLeft()
    {
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), Narrow());
        ISink client = (await ConnectAsync()).For<ISink>();
        await using Foreign foreign = await AskAsync("sink.v1/Take", new() { ["ipc-sends"] = 1 }, "");
        (IReadOnlyBasicProperties begun, _) = await foreign.NextAsync();
        string queue = Wire.TextOf(begun.Headers, "ipc-to")!;
        foreach (BasicProperties odd in new[]
        {
            new BasicProperties { Type = "ipc-rpc/1", MessageId = "unknown", Headers = new Dictionary<string, object?> { ["ipc-item"] = 1 } },
            new BasicProperties { Type = "ipc-rpc/1", Headers = new Dictionary<string, object?> { ["ipc-item"] = 1 } },
            new BasicProperties { Type = "another", MessageId = begun.MessageId, Headers = new Dictionary<string, object?> { ["ipc-item"] = 7 } },
            new BasicProperties(),
        })
        {
            for (int i = 0; i < 300; i++)
                await foreign.SendAsync(queue, odd, new byte[1000]);
        }

        for (int i = 0; i < 5; i++)
            Assert.Equal(1275, await client.TakeAsync("", new Source(50), Cancel).WaitAsync(Patience, Cancel));
        await foreign.SendAsync(begun, "1");
        await foreign.SendAsync(begun, "E1");
        Assert.Equal(0L, Wire.NumberOf((await foreign.LastAsync()).Headers, "ipc-status"));
        Assert.Equal(0, server.DeadLetters);
    }

    [Theory]
    [InlineData("ipc-sends", 2)]
    [InlineData("ipc-sends", "yes")]
    [InlineData("ipc-lease", 10)]
    [InlineData("ipc-credit", 0)]
    public async Task ARequestThatCannotBeIsRefused(string header, object value)
    {
        await ServeAsync(SinkRpc.Service(_sink), Narrow());
        Dictionary<string, object?> headers = new() { ["ipc-sends"] = 1 };
        headers[header] = value;
        await using Foreign foreign = await AskAsync("sink.v1/Take", headers, "");
        IReadOnlyBasicProperties answer = await foreign.LastAsync();
        Assert.Equal((long)RpcStatus.InvalidArgument, Wire.NumberOf(answer.Headers, "ipc-status"));
        Assert.Contains(header, Wire.TextOf(answer.Headers, "ipc-text"), StringComparison.Ordinal);
        Assert.Equal(0, _sink.Begun);
    }

    [Fact]
    public async Task AStreamOfNobodyIsSetAside()
    {
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), Narrow());
        await using Foreign foreign = await AskAsync("sink.v1/Take", new() { ["ipc-sends"] = 1 }, "", replyTo: false);
        Watchdog.Until(() => server.DeadLetters == 1, "it to be set aside");
        Assert.Equal(0, _sink.Begun);
    }

    /// <summary>What a server says, in words: B begins, C gives credit, a number is an item, A an answer, E and a number an end.</summary>
    [Theory]
    [InlineData("nowhere", false, RpcStatus.DataLoss, "where its items go")]
    [InlineData("B-no-credit", false, RpcStatus.DataLoss, "how many may")]
    [InlineData("B-odd-credit", false, RpcStatus.DataLoss, "how many may")]
    [InlineData("B C-1", false, RpcStatus.DataLoss, "credit that is none")]
    [InlineData("B C9223372036854775807", false, RpcStatus.DataLoss, "credit that is none")]
    [InlineData("B 1", false, RpcStatus.DataLoss, "none of a stream")]
    [InlineData("A", false, RpcStatus.DataLoss, "older than streams")]
    [InlineData("B A-long", false, RpcStatus.ResourceExhausted, "bytes")]
    [InlineData("B A-odd", false, RpcStatus.Internal, "decoded")]
    [InlineData("B gone", false, RpcStatus.Unavailable, "has gone")]
    [InlineData("B 1 3", true, RpcStatus.DataLoss, "Item 3 came where 2 had to")]
    [InlineData("B C5 1 C-7", true, RpcStatus.DataLoss, "credit that is none")]
    [InlineData("B E3", true, RpcStatus.DataLoss, "after 3 items")]
    [InlineData("B none", true, RpcStatus.DataLoss, "neither")]
    [InlineData("B gone", true, RpcStatus.Unavailable, "has gone")]
    public async Task AServerThatDoesNotKeepToItIsSaidNotTo(string words, bool both, RpcStatus status, string text)
    {
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string listens = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        await ConsumeAsync(channel, async request =>
        {
            foreach (string word in words.Split(' '))
                await SayAsync(channel, request, word, listens);
        });
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(1);
        options.MaxMessageBytes = 1000;
        ISink client = (await ConnectAsync(options)).For<ISink>();
        Source source = new(-1, static async (item, cancel) => await Task.Delay(item > 2 ? Timeout.Infinite : 0, cancel));
        RpcCallException failure = await FailsAsync(status, async () =>
        {
            if (!both)
                await client.TakeAsync("", source, Cancel);
            await foreach (int item in client.Echo("", source, Cancel))
            {
            }
        });
        Assert.Contains(text, failure.Message, StringComparison.Ordinal);
        Assert.Equal(both ? "Echo" : "Take", failure.Method);
        Assert.InRange(source.Produced, 0, 2);
    }

    /// <summary>Its items went to the first server, and with it. The second begins before the client knows, and neither gets the rest nor sees an end.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AStreamWhoseServerGoesIsNotSentOnToTheNext(bool both)
    {
        IConnection connection = await OpenAsync();
        IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string listens = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        await ConsumeAsync(channel, request => SayAsync(channel, request, "B", listens)); // credit for two
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromHours(1); // nothing is said to the first one while it goes
        options.WaitForReady = true;
        ISink client = (await ConnectAsync(options)).For<ISink>();
        Source source = new(-1);
        Task call = both ? AllAsync(client.Echo("", source, Cancel)) : client.TakeAsync("", source, Cancel);
        Watchdog.Until(() => source.Produced == 2, "what there is credit for to be sent");
        await WaitForCountAsync(listens, 2);
        await ServeAsync(SinkRpc.Service(_sink));
        await connection.DisposeAsync();
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => call);
        Assert.Contains("2 items", failure.Message, StringComparison.Ordinal);
        Assert.Contains("not known", failure.Message, StringComparison.Ordinal);
        Assert.False(failure.IsUnsent);
        Watchdog.Until(() => source.IsDisposed && _sink.Ended == _sink.Begun, "source and second handler to be told");
        Assert.Equal(1275, await client.TakeAsync("", new Source(50), Cancel).WaitAsync(Patience, Cancel));
        Assert.Equal((1, 50), (_sink.Whole, _sink.Seen));
        Assert.InRange(_sink.Begun, 1, 2); // it may have been told before it began

        async Task WaitForCountAsync(string queue, uint count)
        {
            while (await channel.MessageCountAsync(queue, Cancel) != count)
                await Task.Delay(5, Cancel); // between two looks
        }
    }

    /// <summary>The last item that there is credit for, or the end: nothing comes after it, so nobody would miss it.</summary>
    [Theory]
    [InlineData(2)]
    [InlineData(1)]
    public async Task WhatTheBrokerRefusesOfAStreamEndsIt(int items)
    {
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        Dictionary<string, object?> full = new() { ["x-max-length"] = 1, ["x-overflow"] = "reject-publish" };
        string listens = (await channel.QueueDeclareAsync("", durable: false, exclusive: true, autoDelete: true, full, cancellationToken: Cancel)).QueueName;
        await ConsumeAsync(channel, request => SayAsync(channel, request, "B", listens));
        ISink client = (await ConnectAsync()).For<ISink>();
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => client.TakeAsync("", new Source(items), Cancel));
        Assert.Contains("negative confirm", failure.Message, StringComparison.Ordinal);
        Assert.False(failure.IsUnsent);
    }

    /// <summary>Its source was asked, and had not given anything.</summary>
    [Fact]
    public async Task AStreamThatHasSentNothingBeginsAtAnotherServerMarked()
    {
        IConnection connection = await OpenAsync();
        IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string listens = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        await ConsumeAsync(channel, request => SayAsync(channel, request, "B", listens));
        ISink client = (await ConnectAsync()).For<ISink>();
        TaskCompletionSource asked = new(), go = new();
        Source source = new(2000, async (item, cancel) =>
        {
            asked.TrySetResult();
            await go.Task.WaitAsync(cancel);
        });
        Task<long> call = client.TakeAsync("", source, Cancel);
        await asked.Task.WaitAsync(Patience, Cancel);
        await ServeAsync(SinkRpc.Service(_sink), Narrow());
        await connection.DisposeAsync();
        Watchdog.Until(() => _sink.Begun == 1, "the second to begin");
        Assert.Equal("1", _sink.Mark);
        for (int i = 0; i < 3; i++)
            await client.TakeAsync("", Nothing(), Cancel).WaitAsync(Patience, Cancel); // its first message came before these answers
        Assert.False(call.IsCompleted);
        go.SetResult();
        Assert.Equal(2_001_000, await call.WaitAsync(Patience, Cancel));
        Assert.Equal(4, _sink.Whole);
    }

    private RabbitMqServerOptions Narrow()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.StreamWindow = 4;
        options.MaxMessageBytes = 100_000;
        options.Handlers = new RpcServerOptions { StreamWindow = 32 };
        return options;
    }

    private static async IAsyncEnumerable<int> Nothing()
    {
        await Task.Yield();
        yield break;
    }

    private static async Task AllAsync(IAsyncEnumerable<int> items)
    {
        await foreach (int item in items)
        {
        }
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
            case "B" or "B-no-credit" or "B-odd-credit" or "nowhere":
                headers["ipc-item"] = 0;
                (properties.ReplyTo, properties.MessageId) = (listens, "key");
                if (word != "nowhere")
                    headers["ipc-to"] = listens;
                if (word != "B-no-credit")
                    (headers["ipc-credit"], headers["ipc-credit-bytes"]) = (word == "B-odd-credit" ? -1L : 2L, 1L << 20);
                break;
            case "gone":
                await channel.QueueDeleteAsync(listens, cancellationToken: Cancel);
                return;
            case "none":
                break;
            case "A" or "A-long" or "A-odd":
                headers["ipc-status"] = 0;
                body = word == "A-long" ? new byte[2000] : word == "A-odd" ? [0xff, 0xff] : [];
                break;
            case { } credit when credit[0] == 'C':
                headers["ipc-credit"] = long.Parse(credit[1..], CultureInfo.InvariantCulture);
                break;
            case { } end when end[0] == 'E':
                headers["ipc-status"] = 0;
                headers["ipc-count"] = int.Parse(end[1..], CultureInfo.InvariantCulture);
                break;
            default:
                headers["ipc-item"] = int.Parse(word, CultureInfo.InvariantCulture);
                break;
        }

        await channel.BasicPublishAsync("", request.ReplyTo!, false, properties, body, Cancel);
    }

    /// <summary>Calls as a program without this library does, with a queue of its own for the answers.</summary>
    private async Task<Foreign> AskAsync(string method, Dictionary<string, object?> headers, string? how, bool replyTo = true)
    {
        IConnection connection = await OpenAsync();
        IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string answers = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        headers["ipc-method"] = method;
        BasicProperties properties = new() { Type = "ipc-rpc/1", MessageId = Guid.NewGuid().ToString("N"), CorrelationId = "c", Headers = headers };
        if (replyTo)
            properties.ReplyTo = answers;
        byte[] body = how is null ? [0x08, 0x64, 0x12, 4, .. "wait"u8] : how.Length == 0 ? [] : [0x0a, (byte)how.Length, .. System.Text.Encoding.UTF8.GetBytes(how)];
        await channel.BasicPublishAsync("", Queue, false, properties, body, Cancel);
        return new Foreign(connection, channel, answers);
    }

    private sealed class Foreign(IConnection connection, IChannel channel, string answers) : IAsyncDisposable
    {
        public async Task<(IReadOnlyBasicProperties Properties, byte[] Body)> NextAsync()
        {
            using CancellationTokenSource patience = new(Patience);
            while (true)
            {
                if (await channel.BasicGetAsync(answers, true, patience.Token) is { } answer)
                    return (answer.BasicProperties, answer.Body.ToArray());
                await Task.Delay(5, patience.Token); // between two looks
            }
        }

        /// <summary>The answer, whatever comes before it.</summary>
        public async Task<IReadOnlyBasicProperties> LastAsync()
        {
            while (true)
            {
                (IReadOnlyBasicProperties next, _) = await NextAsync();
                if (Wire.NumberOf(next.Headers, "ipc-status") is not null)
                    return next;
            }
        }

        public Task SayAsync(IReadOnlyBasicProperties begun, Dictionary<string, object?> headers) => SendAsync(
            begun.ReplyTo!,
            new BasicProperties { Type = "ipc-rpc/1", MessageId = begun.MessageId, CorrelationId = "c", ReplyTo = answers, Headers = headers },
            []);

        public Task SendAsync(IReadOnlyBasicProperties begun, string word, string? queue = null)
        {
            Dictionary<string, object?> headers = new();
            byte[] body = [];
            switch (word)
            {
                case "none":
                    break;
                case "odd-end":
                    headers["ipc-count"] = "many";
                    break;
                case "nonsense":
                    headers["ipc-item"] = 1;
                    body = [0xff, 0xff, 0xff];
                    break;
                case "long":
                    headers["ipc-item"] = 1;
                    body = new byte[200_000];
                    break;
                case { } end when end[0] == 'E':
                    headers["ipc-count"] = int.Parse(end[1..], CultureInfo.InvariantCulture);
                    break;
                default:
                    int number = int.Parse(word, CultureInfo.InvariantCulture);
                    headers["ipc-item"] = number;
                    body = number < 128 ? [0x08, (byte)Math.Max(0, number)] : [0x08, (byte)(number | 0x80), (byte)(number >> 7)];
                    break;
            }

            return SendAsync(
                queue ?? Wire.TextOf(begun.Headers, "ipc-to")!,
                new BasicProperties { Type = "ipc-rpc/1", MessageId = begun.MessageId, CorrelationId = "c", Headers = headers },
                body);
        }

        public async Task SendAsync(string queue, BasicProperties properties, byte[] body) =>
            await channel.BasicPublishAsync("", queue, false, properties, body, Cancel);

        public ValueTask DisposeAsync() => connection.DisposeAsync();
    }

    /// <summary>A stream that gives nothing until it is told how much.</summary>
    private sealed class Channelled : IAsyncEnumerable<int>
    {
        private readonly TaskCompletionSource<int> _count = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Finish(int count) => _count.SetResult(count);

        public async IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        {
            int count = await _count.Task.WaitAsync(cancellationToken);
            for (int i = 1; i <= count; i++)
                yield return i;
        }
    }
}
