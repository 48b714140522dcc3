using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using ProtoBuf.Grpc;
using ProtoBuf.Grpc.Configuration;

namespace Ipc.AspNetCore.Peer;

/// <summary>A contract of protobuf-net.Grpc: a call, and its three kinds of streams.</summary>
[Service("ipc.test.Sums")]
public interface ISums
{
    ValueTask<Sum> AddAsync(Sum request);

    /// <summary>From left on, until it is cancelled.</summary>
    IAsyncEnumerable<Sum> CountAsync(Sum request, CallContext context = default);

    ValueTask<Sum> TotalAsync(IAsyncEnumerable<Sum> requests, CallContext context = default);

    /// <summary>The sum so far, after each.</summary>
    IAsyncEnumerable<Sum> RunAsync(IAsyncEnumerable<Sum> requests, CallContext context = default);
}

[DataContract]
public sealed class Sum
{
    [DataMember(Order = 1)]
    public int Left { get; set; }

    [DataMember(Order = 2)]
    public int Right { get; set; }
}

public sealed class Sums : ISums
{
    private static int s_cancelled;

    /// <summary>Calls of Count that were cancelled.</summary>
    public static int Cancelled => Volatile.Read(ref s_cancelled);

    public ValueTask<Sum> AddAsync(Sum request) => new(new Sum { Left = request.Left + request.Right });

    public IAsyncEnumerable<Sum> CountAsync(Sum request, CallContext context = default) => CountAsync(request.Left, context.CancellationToken);

    public async ValueTask<Sum> TotalAsync(IAsyncEnumerable<Sum> requests, CallContext context = default)
    {
        Sum total = new();
        await foreach (Sum one in requests.WithCancellation(context.CancellationToken))
            total.Left += one.Left;
        return total;
    }

    public IAsyncEnumerable<Sum> RunAsync(IAsyncEnumerable<Sum> requests, CallContext context = default) => RunAsync(requests, context.CancellationToken);

    private static async IAsyncEnumerable<Sum> CountAsync(int from, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        try
        {
            for (int i = from; ; i++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return new Sum { Left = i };
            }
        }
        finally
        {
            Interlocked.Increment(ref s_cancelled);
        }
    }

    private static async IAsyncEnumerable<Sum> RunAsync(IAsyncEnumerable<Sum> requests, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        int sum = 0;
        await foreach (Sum one in requests.WithCancellation(cancellationToken))
            yield return new Sum { Left = sum += one.Left };
    }
}
