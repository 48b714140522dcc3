namespace Ipc.Rpc;

// Credit is given in items and in bytes; the last item that credit in bytes allows may exceed it, so items of any size
// get through. Who consumes gives more when half of either has been consumed. The window in bytes grows by itself: an
// item says when its sender had to wait for credit, and when its consumer was waiting for it, too, then neither of them
// is what the stream waits for, but the window.

/// <summary>What the receiver of one stream lets the sender be ahead. Guarded by the stream's lock.</summary>
internal struct ItemWindow
{
    private readonly int _items;
    private long _bytes;
    private long _itemsLeft; // what may still come
    private long _bytesLeft;
    private long _consumed; // since credit was last given
    private long _consumedBytes;

    public ItemWindow(int items, int firstItems)
    {
        _items = items;
        _itemsLeft = firstItems;
        _bytes = _bytesLeft = FlowRules.FirstBytes;
        _consumed = 0;
        _consumedBytes = 0;
    }

    /// <summary>An item has come.</summary>
    /// <param name="cost">What it counts for.</param>
    /// <param name="starved">Its sender had waited for credit, and its consumer for an item.</param>
    /// <returns><see langword="false"/> when there was no credit for it.</returns>
    public bool TryReceive(long cost, bool starved)
    {
        if (_itemsLeft == 0 || _bytesLeft <= 0)
            return false;

        _itemsLeft--;
        _bytesLeft -= cost;
        if (starved && _bytes < FlowRules.LargestWindow)
        {
            _consumedBytes += _bytes; // as if: so the difference is given with the next credit
            _bytes *= 2;
        }

        return true;
    }

    /// <summary>Items have been consumed, or are allowed for another reason.</summary>
    public void Consume(long items, long bytes)
    {
        _consumed += items;
        _consumedBytes += bytes;
    }

    /// <summary>Whether it is time to give more.</summary>
    public readonly bool IsDue => _consumed * 2 >= _items || _consumedBytes * 2 >= _bytes;

    /// <summary>Takes what is to be given.</summary>
    public ItemCredit TakeAll()
    {
        var due = new ItemCredit((uint)_consumed, (ulong)_consumedBytes);
        _itemsLeft += _consumed; // before it is sent: the items may come at once
        _bytesLeft += _consumedBytes;
        _consumed = _consumedBytes = 0;
        return due;
    }
}
