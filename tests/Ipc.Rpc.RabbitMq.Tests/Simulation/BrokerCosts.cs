using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>What the simulation takes for granted of a broker, as time of its processor. By hand, on a machine that does nothing else: <c>-explicit only -class '*BrokerCosts' -showLiveOutput</c>.</summary>
public sealed class BrokerCosts(BrokerProcess broker) : RabbitMqTest(broker)
{
    private const int Many = 300, Copies = 300, Rounds = 4;

    [Fact(Explicit = true)]
    public async Task OfABroker()
    {
        for (int round = 1; round <= Rounds; round++)
        {
            Say($"round {round} of {Rounds}");
            List<IAsyncDisposable> ends = [];
            await MeasureAsync(round == 1 ? "a server's connection, queues new" : "a server's connection", Many, async number =>
            {
                RabbitMqServer server = await RabbitMqServer.StartAsync(AddressAt(Broker.Port) + number, ServerOptions, FarmRpc.Service(new Farm("one")));
                lock (ends)
                    ends.Add(server);
            });
            await MeasureAsync("a client's connection", Many, async number =>
            {
                RabbitMqClient client = await RabbitMqClient.ConnectAsync(AddressAt(Broker.Port) + number, ClientOptions);
                lock (ends)
                    ends.Add(client);
            });
            await Parallel.ForEachAsync(ends, async (end, _) => await end.DisposeAsync());
            await MeasureAsync("one that is given up", 2 * Many, async _ =>
            {
                using Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
                await socket.ConnectAsync(Broker.EndPoint);
                await socket.SendAsync("AMQP\0\0\u0009\u0001"u8.ToArray());
            });
            await CallsAsync();
            await CopiesAsync();
        }
    }

    private async Task CallsAsync()
    {
        await using RabbitMqServer server = await RabbitMqServer.StartAsync(Address, new RabbitMqServerOptions { Prefetch = 64 }, FarmRpc.Service(new Farm("one")));
        await using RabbitMqClient client = await RabbitMqClient.ConnectAsync(Address);
        IFarm farm = client.For<IFarm>();
        await MeasureAsync("a call", 20_000, async number => await farm.DoAsync(number));
    }

    private async Task CopiesAsync()
    {
        const int messages = 200;
        await using IConnection sends = await OpenAsync(), takes = await OpenAsync();
        await using IChannel to = await sends.CreateChannelAsync(), from = await takes.CreateChannelAsync();
        await to.ExchangeDeclareAsync(Service, ExchangeType.Fanout, autoDelete: true);
        using CountdownEvent left = new(messages * Copies);
        for (int i = 0; i < Copies; i++)
        {
            QueueDeclareOk queue = await from.QueueDeclareAsync();
            await from.QueueBindAsync(queue.QueueName, Service, "");
            AsyncEventingBasicConsumer consumer = new(from);
            consumer.ReceivedAsync += (_, _) => Task.FromResult(left.Signal());
            await from.BasicConsumeAsync(queue.QueueName, autoAck: true, consumer);
        }

        TimeSpan before = Broker.Processor;
        for (int i = 0; i < messages; i++)
            await to.BasicPublishAsync(Service, "", new byte[64]);
        left.Wait(Cancel);
        Say("a copy of a message", (Broker.Processor - before) / (messages * Copies));
    }

    private async Task MeasureAsync(string what, int count, Func<int, Task> make)
    {
        TimeSpan before = Broker.Processor;
        await Parallel.ForEachAsync(Enumerable.Range(0, count), new ParallelOptions { MaxDegreeOfParallelism = 32 }, async (number, _) => await make(number));
        Say(what, (Broker.Processor - before) / count);
    }

    private static void Say(string what, TimeSpan each) => Say($"{what,-36} {each.TotalMicroseconds,8:0} us");

    private static void Say(string line) => TestContext.Current.TestOutputHelper!.WriteLine(line);
}
