using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>Does one thing after another, in the order in which they came: a queue at a broker.</summary>
internal sealed class Station(Simulator time)
{
    private readonly Queue<Func<double>> _waiting = new();
    private bool _isBusy;

    /// <param name="begin">When its turn has come: how long it takes, in seconds. What happens at its end it plans itself.</param>
    public void Enter(Func<double> begin)
    {
        _waiting.Enqueue(begin);
        if (!_isBusy)
            Next();
    }

    private void Next()
    {
        _isBusy = _waiting.TryDequeue(out Func<double>? begin);
        if (!_isBusy)
            return;
        time.After(begin!(), Next);
    }
}
