using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>Works at everything that there is at the same time, at each in its turn for a moment: a node of a broker that opens connections, each of which is a process of Erlang's.</summary>
internal sealed class SharedProcessor(Simulator time)
{
    private readonly PriorityQueue<Work, (double Until, long Number)> _all = new();
    private double _each; // how much has been done at each one, if it had been there from the beginning
    private double _since;
    private long _number;
    private long _plan;
    private int _count;

    public int MaxCount { get; private set; }

    /// <summary>What is being done; it may be given up.</summary>
    public sealed class Work(Action done)
    {
        public Action Done { get; } = done;

        public bool IsGivenUp { get; set; }
    }

    public Work Begin(double seconds, Action done)
    {
        Advance();
        Work work = new(done);
        _all.Enqueue(work, (_each + seconds, _number++));
        MaxCount = Math.Max(MaxCount, ++_count);
        Plan();
        return work;
    }

    public void GiveUp(Work work)
    {
        Advance();
        work.IsGivenUp = true;
        _count--;
        Plan();
    }

    private void Advance()
    {
        if (_count > 0)
            _each += (time.Now - _since) / _count;
        _since = time.Now;
    }

    private void Plan()
    {
        long plan = ++_plan;
        while (_all.TryPeek(out Work? first, out (double Until, long Number) next))
        {
            if (first.IsGivenUp)
            {
                _all.Dequeue();
                continue;
            }

            time.After(Math.Max(0, next.Until - _each) * _count, () => Finish(plan));
            return;
        }
    }

    private void Finish(long plan)
    {
        if (plan != _plan)
            return; // somebody has come or gone since
        Advance();
        Work work = _all.Dequeue();
        _count--;
        Plan();
        work.Done();
    }
}
