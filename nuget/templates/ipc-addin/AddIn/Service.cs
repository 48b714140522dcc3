using System;
using Ipc.Rpc;

namespace IpcAddin._1;

/// <summary>The connection of the whole add-in. It is made by the first call, and made anew by a later one when the service was started again.</summary>
internal static class Service
{
    private static readonly RpcClientOptions Options = new()
    {
        CallTimeout = TimeSpan.FromSeconds(1), // Excel waits for so long at most
        ConnectTimeout = TimeSpan.FromSeconds(1),
    };

    private static RpcClient _client = RpcClient.Create(PricesAddress.Name, Options);

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

    /// <summary>For tests: the service of another name.</summary>
    internal static void Use(string name)
    {
        _client.Dispose();
        _client = RpcClient.Create(name, Options);
    }
}
