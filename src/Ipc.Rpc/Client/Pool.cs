using System.Threading;

namespace Ipc.Rpc;

/// <summary>A few objects of one type that are used again instead of collected. Any thread; never waits.</summary>
internal sealed class Pool<T>
    where T : class
{
    private readonly T?[] _items = new T?[64];
    private T? _first; // the usual case of one at a time

    public T? TryTake()
    {
        T? item = _first;
        if (item is not null && ReferenceEquals(Interlocked.CompareExchange(ref _first, null, item), item))
            return item;

        T?[] items = _items;
        for (int i = 0; i < items.Length; i++)
        {
            item = items[i];
            if (item is not null && ReferenceEquals(Interlocked.CompareExchange(ref items[i], null, item), item))
                return item;
        }

        return null;
    }

    public void Put(T item)
    {
        if (_first is null && Interlocked.CompareExchange(ref _first, item, null) is null)
            return;

        T?[] items = _items;
        for (int i = 0; i < items.Length; i++)
        {
            if (items[i] is null && Interlocked.CompareExchange(ref items[i], item, null) is null)
                return;
        }
    }
}
