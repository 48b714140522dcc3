namespace Ipc.Matrix;

using Ipc.Rpc;

/// <summary>A client and a server of <see cref="IBench"/>, through generated proxy and dispatcher, with the options of the row (<see cref="CallOptions"/>).</summary>
internal abstract class RpcPair(Figure figure, int count) : Subject(count)
{
    private RpcServer? _server;
    private RpcClient? _client;

    /// <summary>The row.</summary>
    protected Figure Figure => figure;

    protected IBench Bench { get; private set; } = null!;

    protected RpcClient Client => _client!;

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
        {
            _server = RpcServer.Start(name, CallOptions.Server(figure), BenchRpc.Service(new BenchService()));
        }
        else
        {
            _client = RpcClient.Connect(name, CallOptions.Client(figure));
            Bench = BenchRpc.Client(_client);
        }
    }

    public override void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }
}
