using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer.Interop;

/// <summary>What a C# client offers its server.</summary>
public sealed class ManagedBack : ITestsBack
{
    private int _feeds;

    /// <summary>How many feeds have ended, in whatever way.</summary>
    public int FeedsEnded => Volatile.Read(ref _feeds);

    public Task<Blob> BackAsync(Blob request, CancellationToken cancel = default)
        => TestsRpc.Client(RpcContext.Current!.Caller).EchoAsync(request, cancel);

    public async IAsyncEnumerable<Blob> Feed(CountRequest request, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        try
        {
            for (int number = 0; number < request.Count; number++)
            {
                yield return new Blob { Data = Pattern.Of(number, request.Size) };
                await Task.CompletedTask;
            }
        }
        finally
        {
            Interlocked.Increment(ref _feeds);
        }
    }
}
