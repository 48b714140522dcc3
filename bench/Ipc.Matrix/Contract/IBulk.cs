using System.Collections.Generic;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>What a bulk transfer is made of.</summary>
[IpcService("bench.bulk.v1")]
public interface IBulk
{
    /// <summary>Pieces of so many bytes, until nobody reads them.</summary>
    IAsyncEnumerable<Blob> Pull(FetchRequest request);
}
