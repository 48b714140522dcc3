using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>How far this machine has come with the messages of each other gateway of a topic. They are numbered by
/// their gateway, so that what is missing can be counted, and what comes twice is known.</summary>
internal sealed class TopicSources
{
    private const int Most = 10_000; // a gateway that is started again is another one

    private readonly Dictionary<string, long> _next = new(StringComparer.Ordinal);
    private readonly Queue<string> _order = new();

    /// <summary>Messages that have not come.</summary>
    public long Lost { get; private set; }

    /// <summary>A message has come.</summary>
    /// <param name="source">Whose.</param>
    /// <param name="number">Its number, of all that its gateway has sent or lost.</param>
    /// <returns>Whether it comes for the first time.</returns>
    public bool IsNew(string source, long number)
    {
        if (!_next.TryGetValue(source, out long next))
        {
            if (_order.Count == Most)
                _next.Remove(_order.Dequeue());
            _order.Enqueue(source);
            next = number; // what was before this end came is not missed
        }

        if (number < next)
            return false;
        Lost += number - next;
        _next[source] = number + 1;
        return true;
    }
}
