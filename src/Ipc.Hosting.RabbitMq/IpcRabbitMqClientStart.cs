using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting.RabbitMq;

/// <summary>Connects while the host starts, if that was asked for.</summary>
internal sealed class IpcRabbitMqClientStart : IHostedService
{
    private readonly IServiceProvider _provider;
    private readonly string _name;
    private readonly ILogger _logger;

    public IpcRabbitMqClientStart(IServiceProvider provider, string name, ILogger logger)
    {
        _provider = provider;
        _name = name;
        _logger = logger;
    }

    /// <summary>Holds no thread: the host's other services start meanwhile if it lets them.</summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        IpcRabbitMqClientOptions options =
            _provider.GetRequiredService<IOptionsMonitor<IpcRabbitMqClientOptions>>().Get(_name);
        if (!options.ConnectOnStart)
            return;
        RabbitMqClient client = _provider.GetRequiredKeyedService<RabbitMqClient>(_name);
        try
        {
            await client.EnsureConnectedAsync(options.Rpc.ConnectTimeout, cancellationToken).ConfigureAwait(false);
        }
        catch (RpcCallException e)
        {
            IpcLog.NotConnected(_logger, _name, e.Message);
            throw;
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
