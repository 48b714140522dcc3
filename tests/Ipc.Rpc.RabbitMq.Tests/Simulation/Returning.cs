using System;
using System.Collections.Generic;
using System.Linq;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>What came of it when everybody who had lost a connection wanted another one. Times in seconds.</summary>
internal sealed record Storm(int Back, double Took, double HalfTook, long Attempts, int MostAtOnce);

/// <summary>A node of a cluster dies, and all who were connected to it come back, as the library does: in each attempt all nodes are tried, in an order of chance, each for its share
/// of the time; the dead one refuses at once.</summary>
/// <param name="seed">Of its chance.</param>
/// <param name="nodes">How many live.</param>
/// <param name="handshake">How long a node that does nothing else takes to let a connection in.</param>
/// <param name="opening">The same, with what a server declares on it.</param>
/// <param name="abandoned">How long it takes to find that nobody waits at a connection any more.</param>
/// <param name="grows">By the library's own rule; else as if nobody ever noticed that a node is busy.</param>
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
        int[] order = [.. Enumerable.Range(0, nodes + 1)]; // the last is the dead one
        _time.Chance.Shuffle(order);
        _attempts++;
        Try(attempts, order, 0, _time.Now);
    }

    /// <summary>Broker.ConnectAsync, and what comes behind it.</summary>
    private void Try(Attempts attempts, int[] order, int place, double began)
    {
        double patience = attempts.Patience.TotalSeconds;
        if (place == order.Length)
        {
            attempts.Failed(TimeSpan.FromSeconds(_time.Now - began), wasAnswered: false);
            _time.After(Pause(attempts), () => Try(attempts));
            return;
        }

        if (order[place] == nodes)
        {
            Try(attempts, order, place + 1, began);
            return;
        }

        SharedProcessor node = _nodes[order[place]];
        double share = Math.Max(0.001, (began + patience - _time.Now) / (order.Length - place));
        Part(
            node, handshake, Math.Min(share, BrokersPatience),
            took =>
            {
                NodeFailed(attempts, took, share);
                Try(attempts, order, place + 1, began);
            },
            () => Part(
                node, opening - handshake, patience,
                took =>
                {
                    NodeFailed(attempts, took, patience);
                    Try(attempts, order, order.Length, began);
                },
                () => _backAt.Add(_time.Now)));
    }

    private void NodeFailed(Attempts attempts, double took, double allowed)
    {
        if (grows)
            attempts.NodeFailed(TimeSpan.FromSeconds(took), TimeSpan.FromSeconds(allowed));
    }

    /// <summary>What a node does for a connection, if it is done in time.</summary>
    private void Part(SharedProcessor node, double seconds, double patience, Action<double> failed, Action done)
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
            node.Begin(abandoned, static () => { });
            failed(patience);
        });
    }
}
