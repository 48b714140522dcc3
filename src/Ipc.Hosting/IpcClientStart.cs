using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Connects while the host starts, if that was asked for.</summary>
internal sealed class IpcClientStart : IHostedService
{
    private readonly IServiceProvider _provider;
    private readonly string _name;

    public IpcClientStart(IServiceProvider provider, string name)
    {
        _provider = provider;
        _name = name;
    }

    /// <summary>On a thread of the pool: connecting waits, and the host's other services start meanwhile if it lets them.</summary>
    public Task StartAsync(CancellationToken cancellationToken)
        => _provider.GetRequiredService<IOptionsMonitor<IpcClientOptions>>().Get(_name).ConnectOnStart
            ? Task.Run(() => _provider.GetRequiredKeyedService<RpcClient>(_name), cancellationToken)
            : Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
