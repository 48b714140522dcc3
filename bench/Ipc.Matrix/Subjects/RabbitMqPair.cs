using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Ipc.Matrix;

/// <summary>What one writes by hand with RabbitMQ.Client for the same: direct reply-to and correlation ids; or published with confirms, and taken. The bytes are the message.</summary>
internal sealed class RabbitMqPair(int count, int inFlight, int size = 64) : BrokerPair(count, inFlight, size)
{
    private const string Replies = "amq.rabbitmq.reply-to";

    private readonly bool _isWork = inFlight > 1;
    private readonly ConcurrentDictionary<string, TaskCompletionSource<int>> _pending = new();
    private IConnection? _connection;
    private IChannel? _channel;
    private string _queue = "";
    private long _taken;
    private long _id;

    protected override long Taken => Volatile.Read(ref _taken);

    protected override async Task OpenAsync(string name, Side side)
    {
        _queue = "bench." + name;
        _connection = await new ConnectionFactory { Uri = new Uri(Broker + "/%2F") }.CreateConnectionAsync();
        bool confirms = _isWork && side == Side.Measuring;
        _channel = await _connection.CreateChannelAsync(new CreateChannelOptions(confirms, confirms));
        AsyncEventingBasicConsumer consumer = new(_channel);
        if (side == Side.Answering)
        {
            await _channel.QueueDeclareAsync(_queue, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" });
            await _channel.BasicQosAsync(0, Prefetch, global: false);
            consumer.ReceivedAsync += AnswerAsync;
            await _channel.BasicConsumeAsync(_queue, autoAck: false, consumer);
        }
        else if (!_isWork)
        {
            consumer.ReceivedAsync += (_, delivered) =>
            {
                if (_pending.TryRemove(delivered.BasicProperties.CorrelationId!, out TaskCompletionSource<int>? caller))
                    caller.TrySetResult(delivered.Body.Length);
                return Task.CompletedTask;
            };
            await _channel.BasicConsumeAsync(Replies, autoAck: true, consumer);
        }
    }

    protected override async Task CallAsync()
    {
        if (_isWork)
        {
            await _channel!.BasicPublishAsync("", _queue, mandatory: true, new BasicProperties { Persistent = true }, Bytes);
            return;
        }

        string id = Interlocked.Increment(ref _id).ToString(CultureInfo.InvariantCulture);
        TaskCompletionSource<int> answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _pending[id] = answer;
        await _channel!.BasicPublishAsync("", _queue, mandatory: true, new BasicProperties { CorrelationId = id, ReplyTo = Replies }, Bytes);
        if (await answer.Task != Bytes.Length)
            throw new InvalidOperationException("another number of bytes came back");
    }

    protected override async Task CloseAsync()
    {
        if (_connection is null)
            return;
        await _connection.CloseAsync();
        await _connection.DisposeAsync();
    }

    private async Task AnswerAsync(object sender, BasicDeliverEventArgs delivered)
    {
        if (_isWork)
        {
            Interlocked.Increment(ref _taken);
        }
        else
        {
            await _channel!.BasicPublishAsync(
                "", delivered.BasicProperties.ReplyTo!, mandatory: false, new BasicProperties { CorrelationId = delivered.BasicProperties.CorrelationId }, delivered.Body);
        }

        await _channel!.BasicAckAsync(delivered.DeliveryTag, multiple: false);
    }
}
