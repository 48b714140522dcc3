using System;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Matrix;

/// <summary>A client in shared memory, a gateway, the broker, a gateway, a server in shared memory. Each gateway is in the process of the end that it is for.</summary>
internal sealed class GatewayPair(int count) : BrokerPair(count, 1)
{
    private RpcServer? _server;
    private RabbitMqExport? _export;
    private RabbitMqImport? _import;
    private RpcClient? _client;
    private IBench? _bench;

    protected override long Taken => 0;

    protected override async Task OpenAsync(string name, Side side)
    {
        string address = $"{Broker}/%2F/{name}";
        if (side == Side.Answering)
        {
            _server = RpcServer.Start(name + "-here", BenchRpc.Service(new BenchService()));
            _export = RabbitMqExport.Start(name + "-here", address);
            while (!_export.IsServing)
                await Task.Delay(10);
            return;
        }

        _import = RabbitMqImport.Start(name + "-there", address);
        _client = await RpcClient.ConnectAsync(name + "-there", new RpcClientOptions { ConnectTimeout = TimeSpan.FromSeconds(30) });
        _bench = _client.For<IBench>();
    }

    protected override async Task CallAsync()
    {
        if ((await _bench!.EchoAsync(new Blob(Bytes))).Data.Length != Bytes.Length)
            throw new InvalidOperationException("another number of bytes came back");
    }

    protected override async Task CloseAsync()
    {
        _client?.Dispose();
        if (_import is not null)
            await _import.DisposeAsync();
        if (_export is not null)
            await _export.DisposeAsync();
        _server?.Dispose();
    }
}
