using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Core.Interceptors;

namespace Ipc.AspNetCore.Peer;

/// <summary>An ordinary interceptor of a server: it says in the trailers what the client's has written into the headers, and turns some away.</summary>
public sealed class Stamping : Interceptor
{
    public override Task<TResponse> UnaryServerHandler<TRequest, TResponse>(TRequest request, ServerCallContext context, UnaryServerMethod<TRequest, TResponse> continuation)
    {
        Stamp("unary", context);
        return continuation(request, context);
    }

    public override Task ServerStreamingServerHandler<TRequest, TResponse>(
        TRequest request, IServerStreamWriter<TResponse> responseStream, ServerCallContext context, ServerStreamingServerMethod<TRequest, TResponse> continuation)
    {
        Stamp("down", context);
        return continuation(request, responseStream, context);
    }

    public override Task<TResponse> ClientStreamingServerHandler<TRequest, TResponse>(
        IAsyncStreamReader<TRequest> requestStream, ServerCallContext context, ClientStreamingServerMethod<TRequest, TResponse> continuation)
    {
        Stamp("up", context);
        return continuation(requestStream, context);
    }

    public override Task DuplexStreamingServerHandler<TRequest, TResponse>(
        IAsyncStreamReader<TRequest> requestStream, IServerStreamWriter<TResponse> responseStream, ServerCallContext context, DuplexStreamingServerMethod<TRequest, TResponse> continuation)
    {
        Stamp("both", context);
        return continuation(requestStream, responseStream, context);
    }

    private static void Stamp(string kind, ServerCallContext context)
    {
        string? stamp = context.RequestHeaders.GetValue("stamp");
        if (stamp == "forged")
            throw new RpcException(new Status(StatusCode.PermissionDenied, "a forged stamp"));
        if (stamp is not null)
            context.ResponseTrailers.Add("stamped", $"{kind} {stamp}");
    }
}
