using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Objects of one type that are used again instead of collected. Any thread.</summary>
internal sealed class Pool<T>
    where T : class
{
    private const int MostKept = 1024; // a batch's worth; what is beyond it is collected

    private readonly object _gate = new();
    private T?[] _items = new T?[16]; // grows to what is used at one time
    private int _count; // [peek]
    private T? _first; // the usual case of one at a time

    [MethodImpl(Tiering.Optimized)]
    public T? TryTake()
    {
        T? item = _first;
        // [pool]
        if (item is not null && ReferenceEquals(Interlocked.CompareExchange(ref _first, null, item), item))
            return item;
        if (Volatile.Read(ref _count) == 0)
            return null;

        lock (_gate)
        {
            if (_count == 0)
                return null;

            item = _items[--_count];
            _items[_count] = null;
            return item;
        }
    }

    public void Put(T item)
    {
        if (_first is null && Interlocked.CompareExchange(ref _first, item, null) is null) // [pool]
            return;

        lock (_gate)
        {
            if (_count == MostKept)
                return;
            if (_count == _items.Length)
                System.Array.Resize(ref _items, _count * 2);
            _items[_count++] = item;
        }
    }
}
