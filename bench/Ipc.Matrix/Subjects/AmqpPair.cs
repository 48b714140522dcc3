using System;
using System.Threading.Tasks;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Matrix;

/// <summary>The generated proxy and dispatcher over RabbitMQ: what Ipc.Rpc.RabbitMq makes of the broker.</summary>
internal sealed class AmqpPair(int count, int inFlight, int size = 64) : BrokerPair(count, inFlight, size)
{
    private readonly bool _isWork = inFlight > 1;
    private readonly WorkService _work = new();
    private RabbitMqServer? _server;
    private RabbitMqClient? _client;
    private IBench? _bench;
    private IWork? _far;

    protected override long Taken => _work.Taken;

    protected override async Task OpenAsync(string name, Side side)
    {
        string address = $"{Broker}/%2F/{name}";
        if (side == Side.Answering)
        {
            RabbitMqServerOptions options = new() { Prefetch = Prefetch };
            _server = await RabbitMqServer.StartAsync(address, options, _isWork ? WorkRpc.Service(_work) : BenchRpc.Service(new BenchService()));
            return;
        }

        _client = await RabbitMqClient.ConnectAsync(address);
        _bench = _client.For<IBench>();
        _far = _client.For<IWork>();
    }

    protected override async Task CallAsync()
    {
        if (_isWork)
            await _far!.PutAsync(new Blob(Bytes));
        else if ((await _bench!.EchoAsync(new Blob(Bytes))).Data.Length != Bytes.Length)
            throw new InvalidOperationException("another number of bytes came back");
    }

    protected override async Task CloseAsync()
    {
        if (_client is not null)
            await _client.DisposeAsync();
        if (_server is not null)
            await _server.DisposeAsync();
    }
}
