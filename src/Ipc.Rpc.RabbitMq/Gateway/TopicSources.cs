using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc.RabbitMq;

/// <summary>How far this machine has come with the messages of each other gateway of a topic. They are numbered by
/// their gateway, so that what is missing can be counted, and what comes twice is known.</summary>
internal sealed class TopicSources
{
    private const int Most = 10_000; // a gateway that is started again is another one

    private readonly Dictionary<string, long> _next = new(StringComparer.Ordinal);
    private readonly Queue<string> _order = new();
    private long _lost; // [count]

    /// <summary>Messages that have not come.</summary>
    public long Lost => Interlocked.Read(ref _lost);

    /// <summary>Whether a message comes for the first time.</summary>
    /// <param name="source">Whose.</param>
    /// <param name="number">Its number, of all that its gateway has sent or lost.</param>
    public bool IsNew(string source, long number) => !_next.TryGetValue(source, out long next) || number >= next;

    /// <summary>It has been dealt with.</summary>
    /// <param name="source">Whose.</param>
    /// <param name="number">Its number.</param>
    public void Came(string source, long number)
    {
        if (!_next.TryGetValue(source, out long next))
        {
            if (_order.Count == Most)
                _next.Remove(_order.Dequeue());
            _order.Enqueue(source);
            next = number; // what was before this end came is not missed
        }

        Interlocked.Add(ref _lost, number - next);
        _next[source] = number + 1;
    }
}
