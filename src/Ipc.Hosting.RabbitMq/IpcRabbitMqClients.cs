using System;
using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting.RabbitMq;

/// <summary>Makes the clients of a host.</summary>
internal static class IpcRabbitMqClients
{
    /// <summary>A client that connects with its first call: what a container makes must not wait for a
    /// broker.</summary>
    public static RabbitMqClient Create(string name, IpcRabbitMqClientOptions options, ILogger logger)
    {
        RabbitMqClientOptions rpc = options.Rpc.Copy(); // they may be another client's, too
        string address = options.Shown();
        Action<RabbitMqConnectionChange>? told = rpc.ConnectionChanged;
        rpc.ConnectionChanged = change =>
        {
            if (change.IsConnected)
                IpcRabbitMqLog.Connected(logger, name, address);
            else
                IpcRabbitMqLog.ClientWaits(logger, name, address, change.Reason ?? string.Empty);
            told?.Invoke(change);
        };
        return RabbitMqClient.Create(options.Full(), rpc);
    }
}
