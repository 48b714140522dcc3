using System;

namespace Ipc.Rpc;

/// <summary>A method together with the codecs of its messages. Immutable; one static instance per method is generated.</summary>
/// <typeparam name="TRequest">What the caller sends.</typeparam>
/// <typeparam name="TResponse">What comes back: the response, or one item of a stream; <see cref="RpcEmpty"/> for nothing.</typeparam>
public sealed class RpcMethod<TRequest, TResponse> : RpcMethod
{
    /// <summary>Describes a method; called by generated code.</summary>
    public RpcMethod(string service, string name, RpcMethodKind kind, MessageCodec<TRequest> request, MessageCodec<TResponse> response)
        : base(service, name, kind)
    {
        Request = request ?? throw new ArgumentNullException(nameof(request));
        Response = response ?? throw new ArgumentNullException(nameof(response));
    }

    /// <summary>Writes and reads the request.</summary>
    public MessageCodec<TRequest> Request { get; }

    /// <summary>Writes and reads the response, or one item of the stream.</summary>
    public MessageCodec<TResponse> Response { get; }
}
