using System;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>The options of a row's calls: the defaults, but for what its name (spin, block) and its mark say. No row has others; plain rows have none at all.</summary>
internal static class CallOptions
{
    public static RpcClientOptions Client(Figure figure)
    {
        RpcClientOptions options = new() { ConnectTimeout = TimeSpan.FromSeconds(20) }; // the server may be starting beside others
        options.WaitMode = figure.Wait ?? figure.Tuned?.ClientWait ?? options.WaitMode;
        options.ToClientCapacity = figure.Tuned?.ToClientCapacity ?? options.ToClientCapacity;
        options.StreamWindow = figure.Tuned?.StreamWindow ?? options.StreamWindow;
        return options;
    }

    /// <summary>A server whose client spins is adaptive: it spins as long as calls follow each other and is quiet between rounds, when others measure.</summary>
    public static RpcServerOptions Server(Figure figure)
    {
        RpcServerOptions options = new();
        if (figure.Wait == WaitMode.Block)
            options.WaitMode = WaitMode.Block;
        return options;
    }
}
