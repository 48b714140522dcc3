using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>Time that passes from event to event, and chance from a seed: the same seed gives the same run.</summary>
internal sealed class Simulator(int seed)
{
    private readonly PriorityQueue<Action, (double At, long Number)> _events = new();
    private long _number; // of two events at one time the older one comes first

    public Random Chance { get; } = new(seed);

    /// <summary>Seconds since the beginning.</summary>
    public double Now { get; private set; }

    public void After(double seconds, Action action) => _events.Enqueue(action, (Now + seconds, _number++));

    /// <summary>Runs until it is over, nothing is left to happen, or that time has come.</summary>
    /// <returns>Whether it is over.</returns>
    public bool Run(double until, Func<bool> isOver)
    {
        while (!isOver())
        {
            if (!_events.TryPeek(out _, out (double At, long Number) next) || next.At > until)
                return false;
            Now = next.At;
            _events.Dequeue()();
        }

        return true;
    }

    /// <summary>How long until the next of events that come independently, so many in a second.</summary>
    public double Gap(double rate) => -Math.Log(1 - Chance.NextDouble()) / rate;
}
