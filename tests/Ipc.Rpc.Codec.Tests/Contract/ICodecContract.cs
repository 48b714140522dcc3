using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>A contract that uses every type and every form of method that a contract may have.</summary>
[IpcService("codec.v1")]
public interface ICodecContract
{
    Everything Echo(Everything everything);

    Task<Everything> EchoAsync(Everything everything, CancellationToken cancel = default);

    ValueTask<double> LoadAsync(string host, int seconds, Point? at, CancellationToken cancel = default);

    IAsyncEnumerable<Node> Walk(Node root, CancellationToken cancel = default);

    IAsyncEnumerable<int> Count(int to);

    void Reset();

    Task ResetAllAsync(List<string> hosts);

    ValueTask FlushAsync(CancellationToken cancel);

    string? Find(Guid id);

    Formats? Formatted(Formats? formats);

    [IpcMethod("Renamed")]
    Dictionary<string, Point> Points(bool @checked);
}
