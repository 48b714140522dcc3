using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>What a queue came to.</summary>
/// <param name="Longest">How many messages waited at most.</param>
/// <param name="Drained">How many seconds after its servers were all there again nobody waited any more; infinite if that did not come.</param>
/// <param name="LongestWait">How long a message waited at most, in seconds, until it was given to the server that handled it.</param>
/// <param name="Came">How many messages came.</param>
/// <param name="Handled">How many were handled to their end, each counted once.</param>
/// <param name="Again">How many were begun, and not ended, by a server that died.</param>
/// <param name="Waiting">How many waited at the end.</param>
internal readonly record struct Growth(int Longest, double Drained, double LongestWait, int Came, int Handled, int Again, int Waiting);

/// <summary>Messages that come at random into one queue, to servers that have one in hand at a time, take about as long for each, die together and come back
/// together: what they had in hand is at the front of the queue again.</summary>
internal sealed class Backlog
{
    private readonly record struct Message(double Came);

    private readonly Simulator _time;
    private readonly LinkedList<Message> _waiting = new();
    private readonly List<Message?> _hands = []; // what each server has
    private readonly int[] _lives; // of each server: what a life before has begun does not end
    private readonly double _work;
    private int _there; // the first so many servers are
    private int _longest, _came, _handled, _again;
    private double _longestWait;

    public Backlog(int seed, int servers, double work)
    {
        _time = new Simulator(seed);
        _work = work;
        _there = servers;
        _lives = new int[servers];
        for (int i = 0; i < servers; i++)
            _hands.Add(null);
    }

    /// <param name="rate">Messages in a second.</param>
    /// <param name="dying">How many servers die.</param>
    /// <param name="after">When.</param>
    /// <param name="away">For how long.</param>
    /// <param name="until">The end, if they wait until then.</param>
    public Growth Run(double rate, int dying, double after, double away, double until)
    {
        double back = after + away, drained = double.PositiveInfinity;
        void Arrive()
        {
            _came++;
            _waiting.AddLast(new Message(_time.Now));
            Give();
            _time.After(_time.Gap(rate), Arrive);
        }

        _time.After(_time.Gap(rate), Arrive);
        _time.After(after, () => Die(dying));
        _time.After(back, () =>
        {
            _there = _lives.Length;
            Give();
        });
        if (_time.Run(until, () => _time.Now > back && _waiting.Count == 0))
            drained = _time.Now - back;
        return new Growth(_longest, drained, _longestWait, _came, _handled, _again, _waiting.Count + _hands.FindAll(static hand => hand is not null).Count);
    }

    private void Die(int dying)
    {
        _there -= dying;
        for (int server = _lives.Length - 1; server >= _there; server--)
        {
            _lives[server]++;
            if (_hands[server] is { } had)
            {
                _waiting.AddFirst(had);
                _again++;
            }

            _hands[server] = null;
        }

        _longest = Math.Max(_longest, _waiting.Count);
    }

    private void Give()
    {
        for (int server = 0; server < _there && _waiting.First is { } first; server++)
        {
            if (_hands[server] is not null)
                continue;
            _waiting.RemoveFirst();
            _hands[server] = first.Value;
            _longestWait = Math.Max(_longestWait, _time.Now - first.Value.Came);
            (int who, int life) = (server, _lives[server]);
            _time.After(_time.Gap(1 / _work), () => End(who, life));
        }

        _longest = Math.Max(_longest, _waiting.Count);
    }

    private void End(int server, int life)
    {
        if (_lives[server] != life)
            return; // it died meanwhile
        _handled++;
        _hands[server] = null;
        Give();
    }
}
