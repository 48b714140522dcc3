using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

[assembly: AssemblyFixture(typeof(Ipc.Rpc.RabbitMq.Tests.LonelyBroker))]

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A broker that one test has at a time, which may do to it what it likes.</summary>
public sealed class LonelyBroker : IDisposable
{
    private readonly BrokerProcess _broker = new(1);
    private readonly SemaphoreSlim _turn = new(1);

    /// <summary>Waits until it is free. It runs then, whatever the one before has done to it.</summary>
    public async Task<BrokerProcess> TakeAsync(CancellationToken cancel)
    {
        await _turn.WaitAsync(cancel);
        try
        {
            _broker.Require();
            return _broker;
        }
        catch
        {
            _turn.Release();
            throw;
        }
    }

    public void Return() => _turn.Release();

    public void Dispose()
    {
        _broker.Dispose();
        _turn.Dispose();
    }
}
