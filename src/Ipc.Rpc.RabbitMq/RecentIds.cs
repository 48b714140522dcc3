using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Ids of calls that were cancelled, so many that a request which still waits in the queue finds its own.
/// Thread-safe.</summary>
internal sealed class RecentIds
{
    private const int Most = 10_000;

    private readonly HashSet<string> _ids = new();
    private readonly Queue<string> _order = new();

    public void Add(string id)
    {
        lock (_ids)
        {
            if (!_ids.Add(id))
                return;
            _order.Enqueue(id);
            if (_order.Count > Most)
                _ids.Remove(_order.Dequeue());
        }
    }

    public bool Contains(string id)
    {
        lock (_ids)
            return _ids.Contains(id);
    }
}
