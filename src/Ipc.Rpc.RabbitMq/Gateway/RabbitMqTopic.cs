using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

// What lies ready goes together, one batch at a time, and the next one when the broker has confirmed that: so batches
// grow when the broker is slow, and order is kept without a window. What was not confirmed is sent again; its numbers
// say so to those who have it already.

/// <summary>One topic on many machines: what programs publish in shared memory on one of them, readers on the others
/// get in shared memory, too. One copy goes to each machine, however many readers it has.</summary>
/// <remarks>
/// <para>All messages of one machine come in their order, with type and key, each once. Those of different machines are
/// mixed as they come, differently on each machine. Nothing waits for a machine that is slow or away:
/// <see cref="Lost"/> counts what did not come, as far as a later message of the same machine shows it. Writers of this
/// machine do not wait for the broker, either, unless <see cref="RabbitMqTopicOptions.Policy"/> says so; while it is
/// away, the topic keeps as much as it holds. It begins with what is published after it has first reached the
/// broker.</para>
/// <para>On one machine one gateway may carry a topic; a second one says so in <see cref="Trouble"/>, and waits until
/// the first has gone. Whoever may publish to the topic's exchange at the broker can publish in every machine's topic,
/// and pretend to be one of its gateways: rights are the broker's.</para>
/// </remarks>
public sealed class RabbitMqTopic : IAsyncDisposable
{
    private const long MostNumber = long.MaxValue >> 18;
    private const int ItemsBetweenLooks = 8, MostLooks = 50; // at the own reader; a millisecond each

    private static readonly TimeSpan _again = TimeSpan.FromSeconds(1);

    private readonly RabbitMqTopicOptions _options;
    private readonly Recovery<TopicLink> _recovery;
    private readonly Standing _standing;
    private readonly TopicSources _sources = new();
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _run;
    private string _source = string.Empty; // this gateway, among those of the topic
    private long _sent; // [count]
    private long _received; // [count]
    private long _unread; // [count] what the writers of this machine have overwritten
    private long _unfit; // [count]

    private RabbitMqTopic(string name, RabbitMqAddress address, RabbitMqTopicOptions options)
    {
        Name = name;
        Topic = address.Service;
        _options = options;
        _standing = new Standing(options.Changed);
        _recovery = new Recovery<TopicLink>(
            address, options, "topic", connection => new TopicLink(connection, address, options, name));
        GatewayMetrics.Add(this, GatewayMetrics.Topic, name, address, Look);
        _run = Background.Repeat(PassAsync, _standing.Set, _again, _closing.Token);
    }

    /// <summary>The topic's name on this machine.</summary>
    public string Name { get; }

    /// <summary>Its name at the broker.</summary>
    public string Topic { get; }

    /// <summary>Whether the topic is open here and there is a connection to the broker.</summary>
    public bool IsServing => Trouble is null;

    /// <summary>Why it does not serve; <see langword="null"/> if it does. It has no password.</summary>
    public string? Trouble => _standing.Trouble;

    /// <summary>How many messages have gone to the broker.</summary>
    public long Sent => Interlocked.Read(ref _sent);

    /// <summary>How many messages of other machines have been published here.</summary>
    public long Received => Interlocked.Read(ref _received);

    /// <summary>How many messages have not come from other machines, or have not gone there because this end was slower
    /// than the writers. While this end cannot send, what it publishes here can overtake its own reader, and is counted
    /// too: nobody knows any more whose it was.</summary>
    public long Lost => _sources.Lost + Interlocked.Read(ref _unread);

    /// <summary>How many messages were left out: larger than the topic here holds or the broker takes, or no messages
    /// of a topic at all.</summary>
    public long Unfit => Interlocked.Read(ref _unfit);

    /// <summary>Begins. It does not wait for the broker; it tries until it is disposed.</summary>
    /// <param name="name">The topic's name on this machine, as of <see cref="TopicWriter.Open"/>; it is created if
    /// there is none. One that cannot be opened is said in <see cref="Trouble"/>.</param>
    /// <param name="address">As of <see cref="RabbitMqClient.ConnectAsync"/>: the broker and the topic's name
    /// there.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentException">It is no such address; an option cannot be.</exception>
    public static RabbitMqTopic Start(string name, string address, RabbitMqTopicOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        return new RabbitMqTopic(
            name, RabbitMqAddress.Parse(address), (options ?? new RabbitMqTopicOptions()).Checked());
    }

    /// <summary>Ends it. What is on the way gets lost.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await _closing.CancelAsync().ConfigureAwait(false);
            await _recovery.DisposeAsync().ConfigureAwait(false);
            await _run.ConfigureAwait(false);
        }
        finally
        {
            GatewayMetrics.Remove(this);
        }
    }

    private GatewayPart Look() => new()
    {
        Sent = Sent,
        Received = Received,
        Lost = Lost,
        Unfit = Unfit,
        Serving = IsServing ? 1 : 0,
    };

    /// <summary>Until one of the two directions fails, or the topic is damaged or cannot be opened.</summary>
    private async Task PassAsync()
    {
        await _recovery.TriedAsync().WaitAsync(_closing.Token).ConfigureAwait(false);
        if (_recovery.Link is null)
            _standing.Set(_recovery.Missing(null).Message);
        // first: what is published before belongs to the gateway that may be there
        await _recovery.NextAsync(_closing.Token).ConfigureAwait(false);
        using TopicWriter? writer = _options.Receives
            ? TopicWriter.Open(Name, _options.Topic, _closing.Token)
            : null;
        using TopicReader? reader = _options.Sends
            ? TopicReader.Open(
                Name, _options.Topic, new TopicReaderOptions { Policy = _options.Policy, IgnoreWriter = writer },
                _closing.Token)
            : null;
        using CancellationTokenSource over = CancellationTokenSource.CreateLinkedTokenSource(_closing.Token);
        List<Task> passing = [WatchAsync((TopicEnd?)writer ?? reader!, over.Token)];
        if (writer is not null)
            passing.Add(ReceiveAsync(writer, reader, over.Token));
        if (reader is not null)
            passing.Add(SendAsync(reader, over.Token));
        Task first = await Task.WhenAny(passing).ConfigureAwait(false);
        await over.CancelAsync().ConfigureAwait(false);
        foreach (Task each in passing)
            await Task.WhenAny(each).ConfigureAwait(false);
        _recovery.Link?.End("the topic " + Name + " was lost here"); // with what it has given, and nobody took
        await first.ConfigureAwait(false);
    }

    private async Task WatchAsync(TopicEnd topic, CancellationToken cancellationToken)
    {
        while (topic.IsFindable)
        {
            _standing.Set(_recovery.Link is null ? _recovery.Missing(null).Message : null);
            await Task.Delay(_again / 4, cancellationToken).ConfigureAwait(false);
        }

        throw new InvalidOperationException("The topic \"" + Name + "\" was removed or replaced; it is opened anew.");
    }

    private async Task SendAsync(TopicReader reader, CancellationToken cancellationToken)
    {
        TopicOutbox outbox = new(reader);
        (long lost, long unfit) = (0, 0);
        _source = Guid.NewGuid().ToString("N"); // with numbers of its own
        while (true)
        {
            await reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false);
            await _recovery.NextAsync(cancellationToken).ConfigureAwait(false); // until then the topic keeps it
            outbox.Take();
            while (outbox.Next(_options.MostToSend, out long first, out int count) is { } body)
            {
                if (await TrySendAsync(first, body, cancellationToken).ConfigureAwait(false))
                {
                    outbox.Sent(count);
                    Interlocked.Add(ref _sent, count);
                }
                else
                {
                    await Task.Delay(_options.FirstPause, cancellationToken).ConfigureAwait(false);
                }
            }

            Interlocked.Add(ref _unread, reader.Lost - lost);
            Interlocked.Add(ref _unfit, outbox.Unfit - unfit);
            (lost, unfit) = (reader.Lost, outbox.Unfit);
        }
    }

    private async Task<bool> TrySendAsync(long first, byte[] body, CancellationToken cancellationToken)
    {
        TopicLink link = await _recovery.NextAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await link.PublishAsync(_source, first, body, cancellationToken).ConfigureAwait(false);
            return true;
        }
        catch (Exception e) when (Broker.IsOfBroker(e) && !cancellationToken.IsCancellationRequested)
        {
            return false; // the link has ended, or the broker refuses it now
        }
    }

    private async Task ReceiveAsync(TopicWriter writer, TopicReader? reader, CancellationToken cancellationToken)
    {
        while (true)
        {
            TopicLink link = await _recovery.NextAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                while (true)
                {
                    (ulong tag, IReadOnlyBasicProperties properties, byte[] body) =
                        await link.NextAsync(cancellationToken).ConfigureAwait(false);
                    await PublishAsync(writer, reader, properties, body, cancellationToken).ConfigureAwait(false);
                    await link.TakenAsync(tag).ConfigureAwait(false);
                }
            }
            catch (Exception e) when (
                (e is ChannelClosedException || (Broker.IsOfBroker(e) && e is not (IpcException or
                    ObjectDisposedException { ObjectName: nameof(TopicWriter) }))) &&
                !cancellationToken.IsCancellationRequested)
            {
                await Task.Delay(_options.FirstPause, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Waits for a moment for the reader of this end, which passes over what is published here: one that is
    /// overtaken counts all of that as lost, for nobody knows any more whose it was.</summary>
    private static async Task LetPassAsync(TopicReader reader, CancellationToken cancellationToken)
    {
        for (int look = 0; look < MostLooks; look++)
        {
            TopicInfo info = reader.GetInfo();
            if (info.Behind < info.BlockCount / 2)
                return;
            await Task.Delay(1, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Anybody may have sent it.</summary>
    private async Task PublishAsync(
        TopicWriter writer,
        TopicReader? reader,
        IReadOnlyBasicProperties properties,
        byte[] body,
        CancellationToken cancellationToken)
    {
        if (properties.Type != Wire.TopicType || properties.MessageId is not { Length: > 0 and <= 64 } source ||
            Wire.NumberOf(properties.Headers, Wire.First) is not (> 0 and < MostNumber and var number) ||
            body.Length > _options.MaxMessageBytes)
        {
            Interlocked.Increment(ref _unfit);
            return;
        }

        if (source == _source)
            return;
        IReadOnlyList<TopicBatchItem> items;
        try
        {
            items = TopicBatch.Decode(body);
        }
        catch (ProtoException)
        {
            Interlocked.Increment(ref _unfit);
            return;
        }

        for (int i = 0; i < items.Count; i++)
        {
            TopicBatchItem item = items[i];
            if (i > 0)
                number += Math.Min(item.Lost, MostNumber) + 1; // 65,536 times at most
            if (!_sources.IsNew(source, number))
                continue;
            if (reader is not null && i % ItemsBetweenLooks == 0)
                await LetPassAsync(reader, cancellationToken).ConfigureAwait(false);
            if (item.Payload.Length > writer.MaxPayload)
            {
                Interlocked.Increment(ref _unfit);
            }
            else
            {
                await writer.PublishAsync(item.Payload, item.Type, item.Key, cancellationToken).ConfigureAwait(false);
                Interlocked.Increment(ref _received);
            }

            _sources.Came(source, number);
        }
    }
}
