using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer.Interop;

/// <summary>What the server of <see cref="ITests"/> calls at its client.</summary>
[IpcService("tests.back.v1")]
public interface ITestsBack
{
    /// <summary>Calls the server's Echo before it answers with the same.</summary>
    Task<Blob> BackAsync(Blob request, CancellationToken cancel = default);

    /// <summary>So many items of the pattern.</summary>
    IAsyncEnumerable<Blob> Feed(CountRequest request, CancellationToken cancel = default);
}
