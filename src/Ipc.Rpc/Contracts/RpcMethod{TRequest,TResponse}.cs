using System;

namespace Ipc.Rpc;

/// <summary>A method together with the codecs of its messages. Immutable; one static instance per method is
/// generated.</summary>
/// <typeparam name="TRequest">What the caller sends.</typeparam>
/// <typeparam name="TResponse">What comes back: the response, or one item of a stream; <see cref="RpcEmpty"/> for
/// nothing.</typeparam>
public sealed class RpcMethod<TRequest, TResponse> : RpcMethod
{
    /// <summary>Describes a method; called by generated code.</summary>
    /// <param name="service">The service name on the wire.</param>
    /// <param name="name">The method name on the wire.</param>
    /// <param name="kind"><see cref="RpcMethodKind.Unary"/> or <see cref="RpcMethodKind.ServerStream"/>.</param>
    /// <param name="request">Writes and reads the request.</param>
    /// <param name="response">Writes and reads the response, or one item of the stream.</param>
    /// <param name="isOneWay">Whether there is no answer.</param>
    /// <param name="isIdempotent">Whether calling it twice comes to the same as once.</param>
    /// <param name="isOnce">Whether a call of it is executed once.</param>
    public RpcMethod(
        string service,
        string name,
        RpcMethodKind kind,
        MessageCodec<TRequest> request,
        MessageCodec<TResponse> response,
        bool isOneWay = false,
        bool isIdempotent = false,
        bool isOnce = false)
        : base(service, name, kind, isOneWay, isOnce)
    {
        Request = request ?? throw new ArgumentNullException(nameof(request));
        Response = response ?? throw new ArgumentNullException(nameof(response));
        IsIdempotent = isIdempotent;
    }

    /// <summary>Writes and reads the request.</summary>
    public MessageCodec<TRequest> Request { get; }

    /// <summary>Writes and reads the response, or one item of the stream.</summary>
    public MessageCodec<TResponse> Response { get; }

    /// <summary>Whether calling it twice comes to the same as once; see <see cref="IpcIdempotentAttribute"/>.</summary>
    public bool IsIdempotent { get; }

    internal override bool IsKnownIdempotent => IsIdempotent;
}
