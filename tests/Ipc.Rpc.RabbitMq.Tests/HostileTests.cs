using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Messages that are right for the broker, and that a server cannot answer, or not set aside, as they are: none may take its connection with it, which would
/// come to all servers in turn and end the calls that they have in hand.</summary>
public sealed class HostileTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    internal const string Answers = "answers-of-hostile-tests";

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
        Farm farm = new("one");
        TaskCompletionSource go = new();
        farm.After = (number, cancel) => number == 1 ? go.Task.WaitAsync(cancel) : Task.CompletedTask;
        RabbitMqServerOptions options = ServerOptions;
        options.MaxMessageBytes = 1 << 20;
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(farm), options);
        IFarm client = (await ConnectAsync()).For<IFarm>();
        Task<string> inHand = client.DoAsync(1, Cancel).AsTask();
        Watchdog.Until(() => !farm.All.IsEmpty, "the call to be in hand");

        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        await channel.QueueDeclareAsync(Answers, durable: false, exclusive: true, autoDelete: true, cancellationToken: Cancel);
        (BasicProperties properties, byte[] body) = Message(what);
        await channel.BasicPublishAsync("", Queue, false, properties, body, Cancel);
        for (int i = 2; i < 12; i++)
            Assert.Equal("one", await client.DoAsync(i, Cancel).AsTask().WaitAsync(Patience, Cancel));
        if (properties.ReplyTo is null && what is not ("odd id" or "much metadata" or "empty key"))
            Watchdog.Until(() => server.DeadLetters == 1, "it to be set aside");
        else if (what == "huge call")
            Assert.Equal((int)RpcStatus.ResourceExhausted, (await AnswerAsync(channel)).Headers!["ipc-status"]);
        go.SetResult();
        Assert.Equal("one", await inHand.WaitAsync(Patience, Cancel));
        Assert.Equal(1, farm.All.Count(static one => one.Number == 1)); // it was not given to anybody again
    }

    [Fact]
    public async Task AnAnswerWithTooMuchBesideItsMessageFailsItsCallAlone()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.Handlers = new RpcServerOptions { Interceptors = { new Talkative() } };
        Farm farm = new("one");
        await ServeAsync(FarmRpc.Service(farm), options);
        RabbitMqClient client = await ConnectAsync();
        for (int number = 0; number <= 2000; number += 200)
        {
            try
            {
                RabbitMqCaller caller = client.Caller.With(new RpcMetadata { { "count", number.ToString(System.Globalization.CultureInfo.InvariantCulture) } });
                await caller.For<IFarm>().DoAsync(number, Cancel).AsTask().WaitAsync(Patience, Cancel);
            }
            catch (RpcCallException e)
            {
                Assert.True(number > 500 && e.Status is not (RpcStatus.Unavailable or RpcStatus.Aborted), number + ": " + e);
            }
        }

        Assert.All(farm.All, static one => Assert.False(one.IsMarked));
    }

    [Fact]
    public async Task AnAnswerThatIsLongerThanItsClientTakesFailsItsCallAlone()
    {
        await ServeAsync(TestServiceRpc.Service(new TestService()));
        RabbitMqClientOptions options = ClientOptions;
        options.MaxMessageBytes = 1000;
        ITestService client = (await ConnectAsync(options)).For<ITestService>();
        Task<int> held = client.WaitAsync("held", Cancel).AsTask();
        await FailsAsync(RpcStatus.ResourceExhausted, () => Task.Run(() => client.Blob(100_000)));
        Assert.Equal(3, client.Add(1, 2));
        Assert.False(held.IsCompleted);
    }

    /// <summary>"Cancelled" may be what a handler says of somebody else: nobody cancels a one-way call.</summary>
    [Fact]
    public async Task AOneWayCallWhoseHandlerSaysCancelledIsSetAside()
    {
        Farm farm = new("one") { After = static (_, _) => throw new RpcCallException(RpcStatus.Cancelled, "the bank has cancelled it") };
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(farm));
        await (await ConnectAsync()).For<IFarm>().NoteAsync(1, Cancel);
        Watchdog.Until(() => server.DeadLetters == 1, "it to be set aside");
    }

    [Fact]
    public async Task WhatIsToBeExecutedOnceIsNotCalledThatWay()
    {
        OnceService service = new();
        await ServeAsync(OnceServiceRpc.Service(service));
        IOnceService client = (await ConnectAsync()).For<IOnceService>();
        Assert.True((await FailsAsync(RpcStatus.Unimplemented, () => Task.Run(() => client.Do("a")))).IsUnsent);
        Assert.True((await FailsAsync(RpcStatus.Unimplemented, async () => await client.DoAsync("a", Cancel))).IsUnsent);
        Assert.Equal(0, service.Done);
    }

    private static async Task<IReadOnlyBasicProperties> AnswerAsync(IChannel channel)
    {
        while (true)
        {
            if (await channel.BasicGetAsync(Answers, true, Cancel) is { } answer)
                return answer.BasicProperties;
            await Task.Delay(5, Cancel); // between two looks
        }
    }

    internal static (BasicProperties Properties, byte[] Body) Message(string what)
    {
        Dictionary<string, object?> headers = new() { ["ipc-method"] = "farm.v1/Note" };
        BasicProperties properties = new() { Type = "ipc-rpc/1", MessageId = "x", Headers = headers };
        switch (what)
        {
            case "long method":
                headers["ipc-method"] = new string('m', 60_000) + "/" + new string('m', 60_000);
                break;
            case "odd id":
                properties.MessageId = "é\n\0x";
                break;
            case "much metadata":
                for (int i = 0; i < 2000; i++)
                    headers["ipc-m-k" + i] = new byte[10];
                break;
            case "long metadata":
                headers["ipc-m-k"] = new byte[100_000];
                break;
            case "long headers":
                headers["other"] = new byte[130_900];
                properties.Type = "foreign";
                break;
            case "deep headers":
                for (int i = 0; i < 2000; i++)
                    properties.Headers = headers = new() { ["a"] = headers };
                properties.Type = "foreign";
                break;
            case "empty key":
                headers[""] = "nothing";
                break;
            case "odd reply-to":
                properties.ReplyTo = "amq.rabbitmq.reply-to.nonsense";
                properties.CorrelationId = "1";
                break;
            case "huge":
                return (properties, new byte[2 << 20]);
            default:
                properties.ReplyTo = Answers;
                properties.CorrelationId = "1";
                return (properties, new byte[2 << 20]);
        }

        return (properties, []);
    }

    /// <summary>Says as many things as the number of the call.</summary>
    private sealed class Talkative : RpcServerInterceptor
    {
        public override void Starting(RpcContext context)
        {
            for (int i = int.Parse(context.RequestMetadata.GetText("count") ?? "0", System.Globalization.CultureInfo.InvariantCulture); i > 0; i--)
                context.ResponseMetadata.Add("k" + i, "x");
        }
    }
}
