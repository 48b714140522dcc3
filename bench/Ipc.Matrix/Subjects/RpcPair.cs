using System;

namespace Ipc.Matrix;

using Ipc.Rpc;

/// <summary>A client and a server of <see cref="IBench"/>, through generated proxy and dispatcher.</summary>
/// <remarks>A client that spins never sleeps. Its server is adaptive: it spins as long as calls follow each other and is quiet between rounds, when others measure.
/// Without a large ring for the answers, a megabyte travels as a loan, which is warm each time, and not through the ring's next lines, which are cold. With the default options
/// nothing is set but how long to wait for the server.</remarks>
internal abstract class RpcPair(WaitMode mode, int count, bool largeRing = true, bool isDefault = false) : Subject(count)
{
    private RpcServer? _server;
    private RpcClient? _client;

    protected IBench Bench { get; private set; } = null!;

    protected RpcClient Client => _client!;

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
        {
            RpcServerOptions options = new() { WaitMode = mode == WaitMode.Block ? WaitMode.Block : WaitMode.Adaptive };
            _server = RpcServer.Start(name, options, BenchRpc.Service(new BenchService()));
        }
        else
        {
            RpcClientOptions options = new() { ConnectTimeout = TimeSpan.FromSeconds(20) };
            if (!isDefault)
            {
                options.WaitMode = mode;
                options.StreamWindow = 8192;
                options.ToClientCapacity = largeRing ? 4 << 20 : options.ToClientCapacity;
            }

            _client = RpcClient.Connect(name, options);
            Bench = BenchRpc.Client(_client);
        }
    }

    public override void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }
}
