using System;

namespace Ipc.Rpc;

/// <summary>A unary method that reports progress, with the codecs of its messages. Immutable; one static instance per
/// method is generated.</summary>
/// <typeparam name="TRequest">What the caller sends.</typeparam>
/// <typeparam name="TResponse">The response; <see cref="RpcEmpty"/> for nothing.</typeparam>
/// <typeparam name="TProgress">One report of progress.</typeparam>
public sealed class RpcProgressMethod<TRequest, TResponse, TProgress> : RpcMethod
{
    /// <summary>Describes a method; called by generated code.</summary>
    public RpcProgressMethod(
        string service,
        string name,
        MessageCodec<TRequest> request,
        MessageCodec<TResponse> response,
        MessageCodec<TProgress> progress)
        : base(service, name, RpcMethodKind.Unary)
    {
        Unary = new RpcMethod<TRequest, TResponse>(service, name, RpcMethodKind.Unary, request, response);
        Progress = progress ?? throw new ArgumentNullException(nameof(progress));
    }

    /// <summary>Writes and reads the request.</summary>
    public MessageCodec<TRequest> Request => Unary.Request;

    /// <summary>Writes and reads the response.</summary>
    public MessageCodec<TResponse> Response => Unary.Response;

    /// <summary>Writes and reads one report of progress.</summary>
    public MessageCodec<TProgress> Progress { get; }

    /// <summary>The same method for a caller that does not want to know: on the wire there is no difference.</summary>
    public RpcMethod<TRequest, TResponse> Unary { get; }
}
