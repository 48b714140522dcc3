using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>The enumeration of a ring's records, with the buffer that they are copied to.</summary>
internal sealed class RingItems
{
    private readonly RingReader _reader;
    private ItemBuffer _buffer;

    public RingItems(RingReader reader) => _reader = reader;

    public async IAsyncEnumerable<RingItem> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (await _reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
        {
            while (TryCopy(out RingItem item))
            {
                yield return item;
                _reader.Release(); // the next one was asked for
            }
        }
    }

    private bool TryCopy(out RingItem item)
    {
        item = default;
        if (!_reader.TryRead(out RingRecord record))
            return false;
        item = new RingItem(_buffer.Copy(record.Payload), record.Type, record.Redelivered);
        return true;
    }
}
