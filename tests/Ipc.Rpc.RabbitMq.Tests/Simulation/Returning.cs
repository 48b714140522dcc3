using System;
using System.Collections.Generic;
using System.Linq;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>What came of it when everybody who had lost a connection wanted another one. Times in seconds.</summary>
internal sealed record Storm(int Back, double Took, double HalfTook, long Attempts, int MostAtOnce);

/// <summary>A node of a cluster dies, and all who were connected to it come back, to any of the nodes that live.</summary>
/// <param name="seed">Of its chance.</param>
/// <param name="nodes">How many live.</param>
/// <param name="handshake">How long a node that does nothing else takes to let a connection in.</param>
/// <param name="opening">The same, with what a server declares on it.</param>
/// <param name="abandoned">How long it takes to find that nobody waits at a connection any more.</param>
/// <param name="grows">By the library's own rule; else without its mend: each attempt may take as long as the first.</param>
/// <param name="timeout">ConnectTimeout; the default if it is null.</param>
internal sealed class Returning(int seed, int nodes, double handshake, double opening, double abandoned, bool grows, TimeSpan? timeout = null)
{
    /// <summary>handshake_timeout: RabbitMQ ends what has not logged in by then.</summary>
    private const double BrokersPatience = 10;

    private readonly Simulator _time = new(seed);
    private readonly List<double> _backAt = [];
    private SharedProcessor[] _nodes = [];
    private long _attempts;

    public Storm Run(int connections, double until)
    {
        _nodes = [.. Enumerable.Range(0, nodes).Select(_ => new SharedProcessor(_time))];
        RabbitMqServerOptions options = new();
        options.ConnectTimeout = timeout ?? options.ConnectTimeout;
        for (int i = 0; i < connections; i++)
        {
            Attempts attempts = new(options);
            _time.After(Pause(attempts), () => Try(attempts));
        }

        _time.Run(until, () => _backAt.Count == connections);
        double half = _backAt.Count > connections / 2 ? _backAt[connections / 2] : double.PositiveInfinity;
        return new Storm(_backAt.Count, _time.Now, half, _attempts, _nodes.Max(static node => node.MaxCount));
    }

    private double Pause(Attempts attempts) => attempts.NextPause(_time.Chance.NextDouble()).TotalSeconds;

    private void Try(Attempts attempts)
    {
        SharedProcessor node = _nodes[_time.Chance.Next(nodes)];
        double patience = attempts.Patience.TotalSeconds;
        _attempts++;
        attempts.WasTaken = grows; // at once: it is the program behind the socket that is busy
        double began = _time.Now;
        Part(node, handshake, Math.Min(patience, BrokersPatience), Failed, () => Part(node, opening - handshake, patience, Failed, () => _backAt.Add(_time.Now)));

        void Failed()
        {
            node.Begin(abandoned, static () => { });
            attempts.Failed(TimeSpan.FromSeconds(_time.Now - began), wasAnswered: false);
            _time.After(Pause(attempts), () => Try(attempts));
        }
    }

    /// <summary>What a node does for a connection, if it is done in time.</summary>
    private void Part(SharedProcessor node, double seconds, double patience, Action failed, Action done)
    {
        bool isOver = false;
        SharedProcessor.Work work = node.Begin(seconds, () =>
        {
            isOver = true;
            done();
        });
        _time.After(patience, () =>
        {
            if (isOver)
                return;
            node.GiveUp(work); // what has been done of it was for nothing
            failed();
        });
    }
}
