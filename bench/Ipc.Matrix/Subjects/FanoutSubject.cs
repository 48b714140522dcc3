using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Ipc.Matrix;

/// <summary>Messages of 64 bytes to all machines, here one other: microseconds per message, from the first until the last has come. Both machines are in one process.</summary>
internal abstract class FanoutSubject(int count) : Subject(count)
{
    public override bool IsPinned => false;

    protected byte[] Bytes { get; } = new byte[64];

    public override void Open(string name, Side side)
    {
        if (side == Side.Measuring)
            OpenAsync(name).GetAwaiter().GetResult();
    }

    public override double Measure(int count)
    {
        long began = Stopwatch.GetTimestamp();
        Carry(count);
        return Units.Convert(Nanoseconds(began, count), Unit.Nanoseconds, Unit.Microseconds);
    }

    public override void Answer(int count)
    {
    }

    public override void Dispose() => CloseAsync().GetAwaiter().GetResult();

    protected abstract Task OpenAsync(string name);

    /// <summary>Returns when so many have come at the other machine.</summary>
    protected abstract void Carry(int count);

    protected abstract Task CloseAsync();
}

/// <summary>A topic of shared memory that <see cref="RabbitMqTopic"/> carries, with its reliable policy: nothing is lost.</summary>
internal sealed class AmqpFanout(int count) : FanoutSubject(count)
{
    private readonly List<RabbitMqTopic> _gateways = [];
    private TopicWriter? _writer;
    private TopicReader? _reader;

    protected override Task OpenAsync(string name)
    {
        string address = $"{BrokerPair.Broker}/%2F/{name}";
        string[] names = [name + "-here", name + "-there"];
        foreach (string each in names)
            _gateways.Add(RabbitMqTopic.Start(each, address, new RabbitMqTopicOptions { Policy = TopicPolicy.Reliable, Machine = each }));
        SpinWait.SpinUntil(() => _gateways.TrueForAll(static gateway => gateway.IsServing));
        _writer = TopicWriter.Open(names[0]);
        _reader = TopicReader.Open(names[1]);
        return Task.CompletedTask;
    }

    protected override void Carry(int count)
    {
        Task reading = Task.Run(() =>
        {
            for (int i = 0; i < count; i++)
            {
                _reader!.Read(out _, Deadline.Never);
                _reader.Release();
            }
        });
        for (int i = 0; i < count; i++)
            _writer!.Publish(Bytes, 0, 0, Deadline.Never);
        reading.GetAwaiter().GetResult();
    }

    protected override async Task CloseAsync()
    {
        _reader?.Dispose();
        _writer?.Dispose();
        foreach (RabbitMqTopic gateway in _gateways)
            await gateway.DisposeAsync();
    }
}

/// <summary>What one writes by hand with RabbitMQ.Client: a fan-out exchange, a queue of the machine's own, no acknowledgements.</summary>
internal sealed class RabbitMqFanout(int count) : FanoutSubject(count)
{
    private IConnection? _connection;
    private IChannel? _channel;
    private string _exchange = "";
    private long _taken;
    private long _expected;

    protected override async Task OpenAsync(string name)
    {
        _exchange = "bench." + name;
        _connection = await new ConnectionFactory { Uri = new Uri(BrokerPair.Broker + "/%2F") }.CreateConnectionAsync();
        _channel = await _connection.CreateChannelAsync();
        await _channel.ExchangeDeclareAsync(_exchange, ExchangeType.Fanout, durable: false, autoDelete: true);
        IChannel other = await _connection.CreateChannelAsync();
        string queue = (await other.QueueDeclareAsync(string.Empty, durable: false, exclusive: true, autoDelete: true)).QueueName;
        await other.QueueBindAsync(queue, _exchange, string.Empty);
        AsyncEventingBasicConsumer consumer = new(other);
        consumer.ReceivedAsync += (_, _) =>
        {
            Interlocked.Increment(ref _taken);
            return Task.CompletedTask;
        };
        await other.BasicConsumeAsync(queue, autoAck: true, consumer);
    }

    protected override void Carry(int count) => CarryAsync(count).GetAwaiter().GetResult();

    protected override async Task CloseAsync()
    {
        if (_connection is null)
            return;
        await _connection.CloseAsync();
        await _connection.DisposeAsync();
    }

    private async Task CarryAsync(int count)
    {
        _expected += count;
        for (int i = 0; i < count; i++)
            await _channel!.BasicPublishAsync(_exchange, string.Empty, mandatory: false, new BasicProperties(), Bytes);
        while (Volatile.Read(ref _taken) < _expected)
            await Task.Yield();
    }
}
