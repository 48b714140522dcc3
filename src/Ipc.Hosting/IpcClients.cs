using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting;

/// <summary>Makes the clients of a host.</summary>
internal static class IpcClients
{
    /// <summary>A client that connects with its first call: what a container makes must not wait for another process.</summary>
    public static RpcClient Create(IpcClientOptions options, ILogger logger)
    {
        RpcClient client = RpcClient.Create(options.Name, options.Rpc);
        client.ConnectionChanged += (_, change) => Tell(logger, options.Name, change);
        return client;
    }

    /// <summary>Connects, waiting for the server; says why not.</summary>
    public static async Task ConnectAsync(RpcClient client, TimeSpan timeout, ILogger logger, CancellationToken cancellationToken)
    {
        try
        {
            await client.EnsureConnectedAsync(timeout, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is RpcCallException or IpcException)
        {
            IpcLog.NotConnected(logger, client.Name, e.Message);
            throw;
        }
    }

    private static void Tell(ILogger logger, string name, RpcConnectionChangedEventArgs change)
    {
        if (change.Kind == RpcConnectionChangeKind.Connected)
            IpcLog.Connected(logger, name, change.ServerProcessId);
        else
            IpcLog.Lost(logger, name, change.ServerProcessId, change.Reason ?? string.Empty);
    }
}
