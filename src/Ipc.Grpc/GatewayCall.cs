using System;
using System.IO;
using System.Threading;
using Grpc.Core;
using Ipc.Rpc;

namespace Ipc.Grpc;

/// <summary>One call: what a gRPC client says beside its messages, said to an Ipc server, and back.</summary>
internal sealed class GatewayCall(ServerCallContext context, bool sendsExceptions)
{
    /// <summary>The parameters of a method whose caller sends a stream, beside the stream: gRPC has no place for them
    /// among the messages.</summary>
    public const string RequestKey = "ipc-request-bin";

    /// <summary>Fires when the caller cancels, goes, or its deadline passes.</summary>
    public CancellationToken Cancelled => context.CancellationToken;

    /// <summary>The client, for this call: with its metadata and its deadline.</summary>
    /// <exception cref="RpcException">A binary header is not base64.</exception>
    /// <exception cref="RpcCallException">The metadata is longer than Ipc takes.</exception>
    public RpcClient Begin(RpcClient client)
    {
        RpcClient view = client
            .With(CallMetadata.OfRequest(context.GetHttpContext().Request.Headers, RequestKey))
            .WithAnswer(answer => CallMetadata.AddTo(context.ResponseTrailers, answer));
        return context.Deadline == DateTime.MaxValue ? view : view.WithDeadline(Deadline.After(Left()));
    }

    /// <summary>The message of all parameters but the stream; without any, all of them have their defaults.</summary>
    /// <exception cref="RpcException">It is not base64, or there are several.</exception>
    public Payload StreamRequest() =>
        CallMetadata.Find(context.GetHttpContext().Request.Headers, RequestKey) is { } bytes
            ? Payload.Of(bytes)
            : Payload.Empty;

    /// <summary>What gRPC is told about a failure; <see langword="null"/> when that is gRPC's own, or a defect, which
    /// it logs.</summary>
    public RpcException? Translate(Exception failure)
    {
        if (Cancelled.IsCancellationRequested)
            return context.Deadline != DateTime.MaxValue && Left() == TimeSpan.Zero
                ? new RpcException(new Status(StatusCode.DeadlineExceeded, "The deadline of the call passed."))
                : new RpcException(new Status(StatusCode.Cancelled, "The caller cancelled the call."));
        return failure switch
        {
            RpcCallException call => CallStatus.Of(call, context.ResponseTrailers, sendsExceptions),
            IOException => new RpcException(new Status(StatusCode.Cancelled, "The caller went while it sent.")),
            ObjectDisposedException { ObjectName: nameof(RpcClient) } => new RpcException(new Status(
                StatusCode.Unavailable,
                "The gateway's connection was disposed, as when it stops. Call again when it has started.")),
            _ => null,
        };
    }

    private TimeSpan Left()
    {
        TimeSpan left = context.Deadline - DateTime.UtcNow;
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }
}
