using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Streams.</summary>
[IpcService("tap.v1")]
public interface ITap
{
    /// <summary>Numbers from 0 on; throws what <paramref name="failure"/> names after them.</summary>
    IAsyncEnumerable<int> Run(int count, string failure, CancellationToken cancel = default);

    IAsyncEnumerable<byte[]> Blobs(int size, int count, CancellationToken cancel = default);

    int Add(int a, int b);

    /// <summary>Is counted.</summary>
    [IpcOneWay]
    [IpcIdempotent]
    Task DropAsync(byte[] blob, CancellationToken cancel = default);
}
