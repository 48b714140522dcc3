using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Texts of messages that are none: bytes that are not UTF-8 become three times as many when somebody repeats them, and the broker's own limit is one that the
/// client program enforces with an exception.</summary>
public sealed class HostileTextTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Tap _tap = new();

    private string Queue => "ipc." + Service;

    [Theory]
    [InlineData("correlation-id", true)]
    [InlineData("correlation-id", false)]
    [InlineData("message-id", true)]
    [InlineData("app-id", false)]
    [InlineData("type", false)]
    [InlineData("key", false)]
    [InlineData("inner key", false)]
    public async Task AServerLivesWithTextThatIsNone(string where, bool stream)
    {
        RabbitMqServer server = await ServeAsync(TapRpc.Service(_tap), ServerOptions);
        ITap client = (await ConnectAsync()).For<ITap>();
        IAsyncEnumerator<int> items = client.Run(1, "wait", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        Task<bool> next = items.MoveNextAsync().AsTask();

        string none = new('\u0001', 255);
        Dictionary<string, object?> headers = new() { ["ipc-method"] = "tap.v1/Run" };
        BasicProperties properties = new() { Type = "ipc-rpc/1", MessageId = "m", CorrelationId = "c", ReplyTo = "nobody", Headers = headers };
        if (stream)
            headers["ipc-credit"] = 1;
        switch (where)
        {
            case "correlation-id":
                properties.CorrelationId = none;
                break;
            case "message-id":
                properties.MessageId = none;
                break;
            case "app-id":
                properties.AppId = none;
                headers.Clear();
                break;
            case "type":
                properties.Type = none;
                break;
            case "inner key":
                headers["a"] = new List<object?> { new Dictionary<string, object?> { [none] = 1 } };
                headers.Remove("ipc-method");
                break;
            default:
                headers[none] = 1;
                headers.Remove("ipc-method");
                break;
        }

        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        await channel.BasicPublishAsync("", Queue, false, new NotText(properties), ReadOnlyMemory<byte>.Empty, Cancel);
        for (int i = 0; i < 50; i++)
            Assert.Equal(i, client.Add(i, 0));
        Watchdog.Until(() => server.RequestsInHand == 1, "it to be dealt with");
        Assert.Equal(0u, await channel.MessageCountAsync(Queue, Cancel));
        Assert.Equal(1, server.DeadLetters);
        Assert.False(next.IsCompleted, next.Exception?.ToString());
        await server.DisposeAsync();
        await FailsAsync(RpcStatus.Unavailable, () => next);
    }

    /// <summary>Whoever repeats it in an answer, or waits for the one who asked.</summary>
    [Fact]
    public async Task AWordForNoStreamThatCannotBeAnsweredIsLeft()
    {
        await ServeAsync(TapRpc.Service(_tap));
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string answers = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        BasicProperties ask = new() { Type = "ipc-rpc/1", MessageId = "m", CorrelationId = "c", ReplyTo = answers, Headers = new Dictionary<string, object?> { ["ipc-method"] = "tap.v1/Run", ["ipc-credit"] = 1 } };
        await channel.BasicPublishAsync("", Queue, false, ask, ReadOnlyMemory<byte>.Empty, Cancel);
        string listens = (await NextAsync(channel, answers)).ReplyTo!;
        BasicProperties word = new() { Type = "ipc-rpc/1", MessageId = "unknown", CorrelationId = new string('\u0001', 255), ReplyTo = answers };
        for (int i = 0; i < 100; i++)
            await channel.BasicPublishAsync("", listens, false, new NotText(word), ReadOnlyMemory<byte>.Empty, Cancel);
        word.CorrelationId = "told";
        await channel.BasicPublishAsync("", listens, false, word, ReadOnlyMemory<byte>.Empty, Cancel);
        while ((await NextAsync(channel, answers)).CorrelationId != "told")
        {
        }
    }

    /// <summary>The broker sends a message to the queues that it names, too: the dead letter came back as a request, over and over.</summary>
    [Fact]
    public async Task ADeadLetterGoesNowhereElse()
    {
        RabbitMqServer server = await ServeAsync(TapRpc.Service(_tap), ServerOptions);
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string other = (await channel.QueueDeclareAsync(cancellationToken: Cancel)).QueueName;
        BasicProperties properties = new() { Headers = new Dictionary<string, object?> { ["CC"] = new List<object?> { Queue, other } } };
        await channel.BasicPublishAsync("", Queue, false, properties, ReadOnlyMemory<byte>.Empty, Cancel);
        Watchdog.Until(() => server.DeadLetters > 0, "it to be set aside");
        ITap client = (await ConnectAsync()).For<ITap>();
        for (int i = 0; i < 50; i++)
            Assert.Equal(i, client.Add(i, 0));
        Assert.Equal(1, server.DeadLetters);
        Assert.Equal(1u, await channel.MessageCountAsync(other, Cancel));
    }

    /// <summary>The broker takes none but that of whoever sends: it would end the channel of a server with another name than its client's.</summary>
    [Fact]
    public void ADeadLetterHasNoUser()
    {
        BasicProperties properties = new() { UserId = "client", AppId = "kept", Headers = new Dictionary<string, object?> { ["kept"] = 1 } };
        BasicProperties copy = RequestOf(properties).CopyOfProperties();
        Assert.False(copy.IsUserIdPresent());
        Assert.Equal(("kept", 1), (copy.AppId, copy.Headers!["kept"]));
    }

    /// <summary>The client program cannot read it, and ends the connection; the broker gives it to the next one. Nobody can set it aside.</summary>
    [Fact]
    public async Task ANumberThatTheClientProgramCannotReadIsMetEverMoreRarely()
    {
        using BadNetwork network = new(Broker.EndPoint);
        using Reports reports = new();
        RabbitMqServerOptions options = ServerOptions;
        options.LongestPause = TimeSpan.FromMinutes(1);
        await ServeAsync(TapRpc.Service(_tap), options, AddressAt(network.Port));
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        BasicProperties properties = new() { Type = "ipc-rpc/1", MessageId = "m", Headers = new Dictionary<string, object?> { ["ipc-method"] = "tap.v1/Add", ["odd"] = 1.5m } };
        long began = Stopwatch.GetTimestamp();
        await channel.BasicPublishAsync("", Queue, false, new NotText(properties), ReadOnlyMemory<byte>.Empty, Cancel);
        Watchdog.Until(() => network.Connections >= 7, "it to have come seven times");
        Assert.True(Stopwatch.GetElapsedTime(began) > TimeSpan.FromMilliseconds(600), "after pauses of 10, 20, 40, 80, 160 and 320 ms at least");
        Watchdog.Until(() => reports.Find("ipc." + Service, "times in a row") || reports.Find(Service, "times in a row"), "a report");
        await channel.QueuePurgeAsync(Queue, Cancel); // as an operator does
        RabbitMqClientOptions ofClient = ClientOptions;
        ofClient.WaitForReady = true;
        Assert.Equal(3, await Task.Run(async () => (await ConnectAsync(ofClient)).For<ITap>().Add(1, 2)).WaitAsync(Patience, Cancel));
    }

    [Fact]
    public void LongNamesOfMethodsAreNotKept()
    {
        using RpcServer inner = RpcServer.Start(Service, TapRpc.Service(_tap));
        using RpcClient within = RpcClient.Connect(Service);
        RequestHandler handler = new(within, null);
        foreach (string name in new[] { "Run", new string('x', 100_000) })
            _ = handler.Stream(RequestOf(new BasicProperties { Type = "ipc-rpc/1", MessageId = "m", CorrelationId = "c", ReplyTo = "r", Headers = new Dictionary<string, object?> { ["ipc-method"] = "tap.v1/" + name, ["ipc-credit"] = 1 } }), static _ => { }, Cancel);
        Assert.Equal(1, handler.KnownMethods);
    }

    private Request RequestOf(BasicProperties properties) => new(new BasicDeliverEventArgs("tag", 1, false, "", Queue, properties, ReadOnlyMemory<byte>.Empty, Cancel));

    private static async Task<IReadOnlyBasicProperties> NextAsync(IChannel channel, string queue)
    {
        using CancellationTokenSource patience = new(Patience);
        while (true)
        {
            if (await channel.BasicGetAsync(queue, true, patience.Token) is { } answer)
                return answer.BasicProperties;
            await Task.Delay(5, patience.Token); // between two looks
        }
    }

    /// <summary>Writes bytes that are no UTF-8 for a row of characters 1, and a number that nobody can read for 1.5.</summary>
    private sealed class NotText(BasicProperties properties) : IReadOnlyBasicProperties, IAmqpHeader
    {
        public ushort ProtocolClassId => ((IAmqpHeader)properties).ProtocolClassId;

        public string? AppId => properties.AppId;

        public string? ClusterId => properties.ClusterId;

        public string? ContentEncoding => properties.ContentEncoding;

        public string? ContentType => properties.ContentType;

        public string? CorrelationId => properties.CorrelationId;

        public DeliveryModes DeliveryMode => properties.DeliveryMode;

        public string? Expiration => properties.Expiration;

        public IDictionary<string, object?>? Headers => properties.Headers;

        public string? MessageId => properties.MessageId;

        public bool Persistent => properties.Persistent;

        public byte Priority => properties.Priority;

        public string? ReplyTo => properties.ReplyTo;

        public PublicationAddress? ReplyToAddress => properties.ReplyToAddress;

        public AmqpTimestamp Timestamp => properties.Timestamp;

        public string? Type => properties.Type;

        public string? UserId => properties.UserId;

        public bool IsAppIdPresent() => properties.IsAppIdPresent();

        public bool IsClusterIdPresent() => properties.IsClusterIdPresent();

        public bool IsContentEncodingPresent() => properties.IsContentEncodingPresent();

        public bool IsContentTypePresent() => properties.IsContentTypePresent();

        public bool IsCorrelationIdPresent() => properties.IsCorrelationIdPresent();

        public bool IsDeliveryModePresent() => properties.IsDeliveryModePresent();

        public bool IsExpirationPresent() => properties.IsExpirationPresent();

        public bool IsHeadersPresent() => properties.IsHeadersPresent();

        public bool IsMessageIdPresent() => properties.IsMessageIdPresent();

        public bool IsPriorityPresent() => properties.IsPriorityPresent();

        public bool IsReplyToPresent() => properties.IsReplyToPresent();

        public bool IsTimestampPresent() => properties.IsTimestampPresent();

        public bool IsTypePresent() => properties.IsTypePresent();

        public bool IsUserIdPresent() => properties.IsUserIdPresent();

        public int GetRequiredBufferSize() => ((IAmqpWriteable)properties).GetRequiredBufferSize();

        public int WriteTo(Span<byte> span)
        {
            int written = ((IAmqpWriteable)properties).WriteTo(span);
            int at = span[..written].IndexOf("\u0001\u0001\u0001\u0001\u0001"u8);
            for (int i = at; i >= 0 && i < written && span[i] == 1; i++)
                span[i] = 0xff;
            int number = span[..written].IndexOf("D\u0001\0\0\0\u000f"u8); // 1.5
            if (number >= 0)
                span[number + 1] = 200; // digits behind the point
            return written;
        }
    }
}
