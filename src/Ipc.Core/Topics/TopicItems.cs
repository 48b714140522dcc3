using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>The enumeration of a topic's messages, with the buffer that they are copied to.</summary>
internal sealed class TopicItems
{
    private readonly TopicReader _reader;
    private ItemBuffer _buffer;

    public TopicItems(TopicReader reader) => _reader = reader;

    public async IAsyncEnumerable<TopicItem> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (await _reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
        {
            while (TryCopy(out TopicItem item))
                yield return item;
        }
    }

    /// <summary>The next message, copied, released and found whole.</summary>
    private bool TryCopy(out TopicItem item)
    {
        item = default;
        IpcStatus status = _reader.TryRead(out TopicMessage message);
        if (status == IpcStatus.Ok)
        {
            item = new TopicItem(_buffer.Copy(message.Payload), in message);
            status = _reader.Release();
        }

        if (status == IpcStatus.Evicted)
            Throw.Status(
                status,
                "A writer has cut this reader of a topic off: it was too slow, and its policy allows that. Rejoin, " +
                "and enumerate again.");
        return status == IpcStatus.Ok;
    }
}
