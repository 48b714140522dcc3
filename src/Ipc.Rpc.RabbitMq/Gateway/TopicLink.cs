using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Ipc.Rpc.RabbitMq;

// The exchange is the topic. Each machine has a queue of its own there, which goes with its connection: what a machine
// missed while it was away is of yesterday, and it can count it. The queue is exclusive also where nothing is received:
// two gateways of one topic on one machine would each send what the other one has received, for ever.

/// <summary>A topic's connection to the broker.</summary>
internal sealed class TopicLink : BrokerLink
{
    private const ushort Ahead = 16; // batches that the broker gives before earlier ones were published here

    private readonly RabbitMqTopicOptions _options;
    private readonly string _queue;
    private readonly Channel<(ulong Tag, IReadOnlyBasicProperties Properties, byte[] Body)> _come =
        Channel.CreateUnbounded<(ulong, IReadOnlyBasicProperties, byte[])>(); // as many as the broker gives: Ahead
    private IChannel _out = null!;
    private IChannel _in = null!;

    public TopicLink(IConnection connection, RabbitMqAddress address, RabbitMqTopicOptions options, string name)
        : base(connection, address)
    {
        _options = options;
        _queue = QueueOf(address, options, name);
    }

    public override async Task OpenAsync(CancellationToken cancellationToken)
    {
        _out = await OpenChannelAsync(Confirms.Awaited, cancellationToken).ConfigureAwait(false);
        _in = await OpenChannelAsync(Confirms.None, cancellationToken).ConfigureAwait(false);
        await _in.ExchangeDeclareAsync(
            ExchangeOf(Address), ExchangeType.Fanout, durable: true,
            cancellationToken: cancellationToken).ConfigureAwait(false);
        Dictionary<string, object?> bounds = new()
        {
            ["x-max-length-bytes"] = _options.MaxWaitingBytes,
            ["x-overflow"] = "drop-head",
        };
        await _in.QueueDeclareAsync(
            _queue, durable: false, exclusive: true, autoDelete: true, bounds,
            cancellationToken: cancellationToken).ConfigureAwait(false);
        await _in.BasicQosAsync(0, Ahead, false, cancellationToken).ConfigureAwait(false);
        AsyncEventingBasicConsumer consumer = new(_in);
        consumer.ReceivedAsync += OnMessage;
        consumer.UnregisteredAsync += OnUnregistered;
        await _in.BasicConsumeAsync(_queue, autoAck: false, consumer, cancellationToken).ConfigureAwait(false);
        if (_options.Receives)
            await _in.QueueBindAsync(
                _queue, ExchangeOf(Address), string.Empty,
                cancellationToken: cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Returns when the broker has confirmed it.</summary>
    public async Task PublishAsync(string source, long first, byte[] body, CancellationToken cancellationToken)
    {
        BasicProperties properties = new()
        {
            Type = Wire.TopicType,
            ContentType = Wire.ContentType,
            DeliveryMode = DeliveryModes.Transient,
            MessageId = source,
            Headers = new Dictionary<string, object?> { [Wire.First] = first },
        };
        await _out.BasicPublishAsync(
            ExchangeOf(Address), string.Empty, mandatory: false, properties, body,
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The next message from other machines.</summary>
    /// <exception cref="ChannelClosedException">The link has ended.</exception>
    public ValueTask<(ulong Tag, IReadOnlyBasicProperties Properties, byte[] Body)> NextAsync(
        CancellationToken cancellationToken) => _come.Reader.ReadAsync(cancellationToken);

    /// <summary>What came with this tag has been published here: the broker gives another one for it.</summary>
    public ValueTask TakenAsync(ulong tag) => _in.BasicAckAsync(tag, multiple: false);

    public override void Fail(string reason) => _come.Writer.TryComplete();

    internal static string ExchangeOf(RabbitMqAddress address) => "ipc.topic." + address.Service;

    private static string QueueOf(RabbitMqAddress address, RabbitMqTopicOptions options, string name)
    {
        byte[] who = SHA256.HashData(Encoding.UTF8.GetBytes(
            string.Join('\n', options.Machine, Environment.UserName, name)));
        return ExchangeOf(address) + "." + Convert.ToHexString(who.AsSpan(0, 8));
    }

    private Task OnMessage(object sender, BasicDeliverEventArgs message)
    {
        _come.Writer.TryWrite((message.DeliveryTag, message.BasicProperties, message.Body.ToArray()));
        return Task.CompletedTask;
    }

    private Task OnUnregistered(object sender, ConsumerEventArgs consumer)
    {
        End("the queue " + _queue + " was deleted");
        return Task.CompletedTask;
    }
}
