using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What anybody may put into its queue, to a server in C++: it deals with each message, keeps its connection, and lives.</summary>
public sealed class CppHostileTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private string Queue => "ipc." + Service;

    [Theory]
    [InlineData("long method")]
    [InlineData("odd id")]
    [InlineData("much metadata")]
    [InlineData("long metadata")]
    [InlineData("long headers")]
    [InlineData("deep headers")]
    [InlineData("empty key")]
    [InlineData("odd reply-to")]
    [InlineData("huge")]
    [InlineData("huge call")]
    public async Task AMessageIsDealtWithAndTheConnectionLives(string what)
    {
        Cpp.Require();
        using OtherProcess server = Cpp.Server(Address);
        RabbitMqClient client = await ConnectAsync();
        ITests tests = client.For<ITests>();
        Task<Blob> inHand = tests.SleepAsync(new SleepRequest { Ms = 700 }, Cancel);
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        await channel.QueueDeclareAsync(Answers(), durable: false, exclusive: true, autoDelete: true, cancellationToken: Cancel);
        (BasicProperties properties, byte[] body) = HostileTests.Message(what);
        if (properties.ReplyTo == HostileTests.Answers)
            properties.ReplyTo = Answers();
        await channel.BasicPublishAsync("", Queue, false, properties, body, Cancel);
        for (int i = 2; i < 12; i++)
            Assert.Equal([(byte)i], (await tests.EchoAsync(new Blob { Data = [(byte)i] }, Cancel).WaitAsync(Patience, Cancel)).Data);
        await inHand.WaitAsync(Patience, Cancel); // its server's connection has lived: else it would be marked, and late
        server.CloseInput();
        string said = server.Rest();
        Assert.Equal(0, server.WaitForExit());
        Assert.EndsWith(properties.ReplyTo is null ? "dead letters 1\n" : "dead letters 0\n", said, StringComparison.Ordinal); // farm.v1 is not there: a one-way call is set aside
    }

    /// <summary>Words, items and ends for streams that are there and for some that are not, with any numbers.</summary>
    [Fact]
    public async Task AServerOutlivesAnyWords()
    {
        Cpp.Require();
        int seed = Environment.TickCount;
        TestContext.Current.TestOutputHelper!.WriteLine("seed " + seed);
        Random random = new(seed);
        using OtherProcess server = Cpp.Server(Address);
        Task<string> said = Task.Run(server.Rest); // what it sets aside it says, to a pipe that must not become full
        ITests tests = (await ConnectAsync()).For<ITests>();
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        await channel.QueueDeclareAsync(Answers(), durable: false, exclusive: true, autoDelete: true, cancellationToken: Cancel);
        List<IReadOnlyBasicProperties> begun = [];
        AsyncEventingBasicConsumer consumer = new(channel);
        consumer.ReceivedAsync += (_, message) =>
        {
            lock (begun)
            {
                if (message.BasicProperties.ReplyTo is not null)
                    begun.Add(new BasicProperties(message.BasicProperties));
            }

            return Task.CompletedTask;
        };
        await channel.BasicConsumeAsync(Answers(), autoAck: true, consumer, Cancel);
        for (int round = 0; round < (Switches.LongRuns ? 20_000 : 1500); round++)
        {
            Dictionary<string, object?> headers = new();
            BasicProperties properties = new() { Type = random.Next(20) == 0 ? "other" : "ipc-rpc/1", MessageId = random.Next(5) == 0 ? Any(random) : Guid.NewGuid().ToString("N"), Headers = headers };
            string queue = Queue;
            IReadOnlyBasicProperties? stream = null;
            lock (begun)
            {
                if (begun.Count > 0 && random.Next(3) > 0)
                    stream = begun[random.Next(begun.Count)];
            }

            if (stream is null)
            {
                string[] methods = ["Echo", "Count", "Mirror", "Collect", "Note", "Fail", "What"];
                headers["ipc-method"] = random.Next(20) == 0 ? Any(random) : "tests.v1/" + methods[random.Next(methods.Length)];
                if (random.Next(8) > 0)
                    (properties.ReplyTo, properties.CorrelationId) = (Answers(), "7");
                if (random.Next(10) == 0)
                    properties.Expiration = random.Next(100_000).ToString(System.Globalization.CultureInfo.InvariantCulture);
                if (random.Next(2) == 0)
                    headers["ipc-sends"] = random.Next(10) == 0 ? 7 : 1;
                headers["ipc-lease"] = random.Next(10) == 0 ? Number(random) : 60_000;
            }
            else
            {
                queue = random.Next(2) == 0 && Wire.TextOf(stream.Headers, "ipc-to") is { } to ? to : stream.ReplyTo!;
                properties.MessageId = stream.MessageId;
                if (random.Next(2) == 0)
                    headers["ipc-item"] = random.Next(3) == 0 ? Number(random) : 1L;
                if (random.Next(6) == 0)
                    headers["ipc-count"] = Number(random);
            }

            if (random.Next(2) == 0)
                headers["ipc-credit"] = Number(random);
            if (random.Next(2) == 0)
                headers["ipc-credit-bytes"] = Number(random);
            byte[] body = new byte[random.Next(30)];
            random.NextBytes(body);
            await channel.BasicPublishAsync("", queue, false, properties, body, Cancel);
            if (round % 100 == 0)
                Assert.Equal([1], (await tests.EchoAsync(new Blob { Data = [1] }, Cancel).WaitAsync(Patience, Cancel)).Data);
        }

        Assert.Equal([1], (await tests.EchoAsync(new Blob { Data = [1] }, Cancel).WaitAsync(Patience, Cancel)).Data);
        Assert.NotEmpty(begun);
        server.CloseInput();
        Assert.True(server.WaitForExit() == 0, await said);
    }

    /// <summary>A server that answers anything, in any order: calls end, the client lives, and calls a better one afterwards.</summary>
    [Fact]
    public async Task AClientOutlivesAnyAnswers()
    {
        Cpp.Require();
        int seed = Environment.TickCount, count = Switches.LongRuns ? 3000 : 200;
        TestContext.Current.TestOutputHelper!.WriteLine("seed " + seed);
        Random random = new(seed);
        await using IConnection connection = await OpenAsync();
        IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        Dictionary<string, object?> kind = new() { ["x-queue-type"] = "quorum", ["x-delivery-limit"] = 1000 }; // as its servers have it
        await channel.QueueDeclareAsync(Queue, durable: true, exclusive: false, autoDelete: false, kind, cancellationToken: Cancel);
        await channel.QueueDeclareAsync(Answers(), durable: false, exclusive: true, autoDelete: true, cancellationToken: Cancel);
        AsyncEventingBasicConsumer consumer = new(channel);
        consumer.ReceivedAsync += async (_, message) =>
        {
            for (int words = random.Next(6); words >= 0 && message.BasicProperties.ReplyTo is { } to; words--)
                await channel.BasicPublishAsync("", to, false, AnyAnswer(random, message.BasicProperties.CorrelationId!), new byte[random.Next(40)], Cancel);
        };
        await channel.BasicConsumeAsync(Queue, autoAck: true, consumer, Cancel);
        using OtherProcess client = Cpp.Client("any", Address, count.ToString(System.Globalization.CultureInfo.InvariantCulture));
        Assert.Equal("made " + count, client.NextLine());
        await channel.DisposeAsync();
        using OtherProcess server = Cpp.Server(Address);
        Assert.Equal("one", client.NextLine());
        Assert.Equal(0, client.WaitForExit());
    }

    private BasicProperties AnyAnswer(Random random, string correlation)
    {
        Dictionary<string, object?> headers = new();
        BasicProperties properties = new() { Type = "ipc-rpc/1", CorrelationId = random.Next(10) == 0 ? Any(random) : correlation, Headers = headers };
        if (random.Next(2) == 0)
            headers["ipc-item"] = random.Next(3) == 0 ? Number(random) : (long)random.Next(3);
        if (random.Next(2) == 0)
            (properties.ReplyTo, properties.MessageId, headers["ipc-to"]) = (random.Next(8) == 0 ? Any(random) : Answers(), Guid.NewGuid().ToString("N"), random.Next(8) == 0 ? new string('t', 300) : Answers());
        foreach (string name in new[] { "ipc-credit", "ipc-credit-bytes", "ipc-count", "ipc-status" })
        {
            if (random.Next(name == "ipc-status" ? 6 : 2) == 0)
                headers[name] = Number(random);
        }

        if (random.Next(4) == 0)
            (headers["ipc-text"], headers["ipc-details"]) = (Any(random), new List<object?> { new byte[3], Number(random), new byte[2] });
        if (random.Next(4) == 0)
            headers["ipc-m-" + random.Next(3)] = random.Next(2) == 0 ? new byte[17_000] : Number(random);
        return properties;
    }

    private string Answers() => Service + "-answers";

    private static object Number(Random random) => random.Next(6) switch
    {
        0 => (long)random.Next(-2, 3),
        1 => long.MaxValue,
        2 => int.MinValue,
        3 => "many",
        4 => (long)random.Next(1, 2000),
        _ => 1L << random.Next(63),
    };

    private static string Any(Random random)
    {
        byte[] bytes = new byte[random.Next(80)];
        random.NextBytes(bytes);
        return Encoding.Latin1.GetString([.. bytes.Select(static b => (byte)(b & 0x7F))]);
    }
}
