using System;
using Ipc.Rpc;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting;

/// <summary>Makes the clients of a host.</summary>
internal static class IpcClients
{
    public static RpcClient Connect(IpcClientOptions options, ILogger logger)
    {
        try
        {
            RpcClient client = RpcClient.Connect(options.Name, options.Rpc);
            IpcLog.Connected(logger, options.Name, client.ServerProcessId);
            return client;
        }
        catch (Exception e) when (e is RpcException or IpcException)
        {
            IpcLog.NotConnected(logger, options.Name, e.Message);
            throw;
        }
    }
}
