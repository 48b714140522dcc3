using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer.Interop;

/// <summary>What a C# client offers its server.</summary>
public sealed class ManagedBack : ITestsBack
{
    private int _fed;
    private int _feeds;
    private int _feedsBegun;
    private long _lastRemaining;

    /// <summary>How many feeds have begun.</summary>
    public int FeedsBegun => Volatile.Read(ref _feedsBegun);

    /// <summary>How many feeds have ended, in whatever way.</summary>
    public int FeedsEnded => Volatile.Read(ref _feeds);

    /// <summary>Items of feeds that have been yielded.</summary>
    public int Fed => Volatile.Read(ref _fed);

    /// <summary>How much time the last <see cref="BackAsync"/> had; infinite for no deadline.</summary>
    public TimeSpan LastRemaining => TimeSpan.FromTicks(Interlocked.Read(ref _lastRemaining));

    public Task<Blob> BackAsync(Blob request, CancellationToken cancel = default)
    {
        RpcContext context = RpcContext.Current!;
        TimeSpan remaining = context.Deadline == Deadline.Never ? Timeout.InfiniteTimeSpan : context.Deadline.Remaining;
        Interlocked.Exchange(ref _lastRemaining, remaining.Ticks);
        return TestsRpc.Client(context.Caller).EchoAsync(request, cancel);
    }

    public async IAsyncEnumerable<Blob> Feed(CountRequest request, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        Interlocked.Increment(ref _feedsBegun);
        try
        {
            for (int number = 0; number < request.Count; number++)
            {
                Interlocked.Increment(ref _fed);
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
