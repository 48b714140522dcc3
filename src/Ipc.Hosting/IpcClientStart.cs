using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Connects while the host starts, if that was asked for.</summary>
internal sealed class IpcClientStart : IHostedService
{
    private readonly IServiceProvider _provider;
    private readonly string _name;
    private readonly ILogger _logger;

    public IpcClientStart(IServiceProvider provider, string name, ILogger logger)
    {
        _provider = provider;
        _name = name;
        _logger = logger;
    }

    /// <summary>Holds no thread: the host's other services start meanwhile if it lets them.</summary>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        IpcClientOptions options = _provider.GetRequiredService<IOptionsMonitor<IpcClientOptions>>().Get(_name);
        if (!options.ConnectOnStart)
            return Task.CompletedTask;
        RpcClient client = _provider.GetRequiredKeyedService<RpcClient>(_name);
        return IpcClients.ConnectAsync(client, options.Rpc.ConnectTimeout, _logger, cancellationToken);
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
