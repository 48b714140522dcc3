using System;
using System.Threading;
using Ipc.Rpc.Serializers.Tests.Contract;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>A server that offers a serializer and a client that chose one, over real rings.</summary>
internal sealed class Connected : IDisposable
{
    private static int _number;
    private readonly RpcServer _server;

    public Connected(IpcSerializer? offered, IpcSerializer? chosen, params RpcService[] more)
    {
        string name = "serializers-" + Environment.ProcessId + "-" + Interlocked.Increment(ref _number);
        var options = new RpcServerOptions();
        if (offered is not null)
            options.Serializers.Add(offered);
        _server = RpcServer.Start(name, options, [ShopRpc.Service(Shop), .. more]);
        Client = RpcClient.Connect(name, new RpcClientOptions { Serializer = chosen, CallTimeout = TimeSpan.FromSeconds(30) });
        Proxy = ShopRpc.Client(Client);
    }

    public Shop Shop { get; } = new();

    public RpcClient Client { get; }

    public IShop Proxy { get; }

    public void Dispose()
    {
        Client.Dispose();
        _server.Dispose();
    }
}
