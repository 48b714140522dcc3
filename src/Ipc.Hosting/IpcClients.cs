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
            client.ConnectionChanged += change => Tell(logger, options.Name, change);
            return client;
        }
        catch (Exception e) when (e is RpcException or IpcException)
        {
            IpcLog.NotConnected(logger, options.Name, e.Message);
            throw;
        }
    }

    private static void Tell(ILogger logger, string name, RpcConnectionChange change)
    {
        if (change.Kind == RpcConnectionChangeKind.Connected)
            IpcLog.Connected(logger, name, change.ServerProcessId);
        else
            IpcLog.Lost(logger, name, change.ServerProcessId, change.Reason ?? string.Empty);
    }
}
