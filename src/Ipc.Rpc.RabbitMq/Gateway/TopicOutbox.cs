using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Takes what lies ready in a topic, and makes messages of it that the broker takes.</summary>
/// <remarks>Each message has a number from here on, that it keeps however often it is sent: what is read, and what was
/// overwritten before it could be. One thread at a time.</remarks>
/// <param name="reader">The topic's.</param>
internal sealed class TopicOutbox(TopicReader reader)
{
    private const int MostItems = 4096, MostBytes = 64 << 10;
    private const int BytesOfItem = 40; // around a payload at most: two lengths, key, type, lost

    private readonly Queue<(long Number, TopicBatchItem Item)> _items = new();
    private readonly List<TopicBatchItem> _batch = [];
    private long _number; // of the last one
    private long _lost; // of the reader's, those that have numbers
    private long _unfit; // [count]

    /// <summary>What was read that the broker does not take.</summary>
    public long Unfit => Interlocked.Read(ref _unfit);

    /// <summary>Takes what lies ready behind what it has.</summary>
    public void Take()
    {
        int bytes = 0;
        while (_items.Count < MostItems && bytes < MostBytes)
        {
            IpcStatus status = reader.TryRead(out TopicMessage message);
            if (status == IpcStatus.Evicted) // somebody has altered its place
                reader.Rejoin();
            if (status != IpcStatus.Ok)
                break;
            long lost = reader.Lost - _lost; // the message's own count has those that a newer one has replaced, too
            _lost += lost;
            _number += lost + 1;
            _items.Enqueue((_number, new TopicBatchItem(message.Key, message.Type, 0, message.Payload.ToArray())));
            bytes += message.Payload.Length + BytesOfItem;
        }

        reader.Release();
    }

    /// <summary>The next batch: the same as before, if that was not sent and the broker takes it.</summary>
    /// <param name="most">The most bytes that it may have.</param>
    /// <param name="first">The number of its first message.</param>
    /// <param name="count">How many it has.</param>
    /// <returns><see langword="null"/> if there is nothing.</returns>
    public byte[]? Next(int most, out long first, out int count)
    {
        while (_items.TryPeek(out (long Number, TopicBatchItem Item) next) && SizeOf(next.Item) > most)
        {
            _items.Dequeue();
            Interlocked.Increment(ref _unfit);
        }

        (first, long last, int bytes) = (0, 0, 0);
        _batch.Clear();
        foreach ((long number, TopicBatchItem item) in _items)
        {
            bytes += SizeOf(item);
            if (_batch.Count > 0 && bytes > System.Math.Min(most, MostBytes))
                break;
            _batch.Add(_batch.Count == 0 ? item : item with { Lost = number - last - 1 });
            if (first == 0)
                first = number;
            last = number;
        }

        count = _batch.Count;
        return count == 0 ? null : Wire.Encode<IReadOnlyList<TopicBatchItem>>(TopicBatch.Codec, _batch);
    }

    /// <summary>The broker has them.</summary>
    public void Sent(int count)
    {
        while (count-- > 0)
            _items.Dequeue();
    }

    private static int SizeOf(TopicBatchItem item) => item.Payload.Length + BytesOfItem;
}
