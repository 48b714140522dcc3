using System;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;

namespace Ipc.AspNetCore.Peer;

/// <summary>An ordinary service of Grpc.AspNetCore: it knows nothing of what carries it.</summary>
public sealed class EchoService : Echo.EchoBase
{
    private static int s_cancelled;

    /// <summary>Calls of Wait that were cancelled.</summary>
    public static int Cancelled => Volatile.Read(ref s_cancelled);

    public override Task<Parcel> Unary(Parcel request, ServerCallContext context) => request.Number < 0
        ? throw new RpcException(new Status(StatusCode.InvalidArgument, "not below zero"))
        : Task.FromResult(request);

    public override async Task Down(Order request, IServerStreamWriter<Parcel> responseStream, ServerCallContext context)
    {
        var data = ByteString.CopyFrom(new byte[request.Size]);
        for (int i = 0; i < request.Count; i++)
            await responseStream.WriteAsync(new Parcel { Number = i, Data = data }, context.CancellationToken);
    }

    public override async Task<Order> Up(IAsyncStreamReader<Parcel> requestStream, ServerCallContext context)
    {
        Order sum = new();
        await foreach (Parcel parcel in requestStream.ReadAllAsync(context.CancellationToken))
        {
            sum.Count++;
            sum.Size += parcel.Data.Length;
        }

        return sum;
    }

    public override async Task Both(IAsyncStreamReader<Parcel> requestStream, IServerStreamWriter<Parcel> responseStream, ServerCallContext context)
    {
        await foreach (Parcel parcel in requestStream.ReadAllAsync(context.CancellationToken))
            await responseStream.WriteAsync(parcel, context.CancellationToken);
    }

    public override async Task<Parcel> Wait(Order request, ServerCallContext context)
    {
        try
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, context.CancellationToken);
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref s_cancelled);
            throw;
        }

        return new Parcel();
    }
}
