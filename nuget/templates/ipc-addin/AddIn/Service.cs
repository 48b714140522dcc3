using System;
using Ipc.Rpc;

namespace IpcAddin._1;

/// <summary>The connection of the whole add-in. It is made by the first call, and made anew by a later one when the service was started again.</summary>
internal static class Service
{
    private static RpcClient _client = Client(PricesAddress.Name, TimeSpan.FromSeconds(1)); // Excel waits for so long at most

    public static IPrices Prices => PricesRpc.Client(_client);

    public static string Status
    {
        get
        {
            try
            {
                _client.EnsureConnected(TimeSpan.Zero);
                return $"{_client.Name}: process {_client.ServerProcessId}";
            }
            catch (RpcCallException failure)
            {
                return failure.Message;
            }
        }
    }

    /// <summary>For tests, and for who tries it: a service of any name, and the time that a busy machine may need.</summary>
    internal static void Use(string name, TimeSpan patience)
    {
        _client.Dispose();
        _client = Client(name, patience);
    }

    private static RpcClient Client(string name, TimeSpan patience)
        => RpcClient.Create(name, new RpcClientOptions { CallTimeout = patience, ConnectTimeout = patience });
}
