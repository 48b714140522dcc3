using System;

namespace Ipc.Rpc;

/// <summary>A method whose caller sends a stream, with the codecs of its messages. Immutable; one static instance per
/// method is generated.</summary>
/// <typeparam name="TRequest">What the caller sends first: all parameters but the stream; <see cref="RpcEmpty"/> when
/// there are none.</typeparam>
/// <typeparam name="TIn">One item of the caller's stream.</typeparam>
/// <typeparam name="TOut">What comes back: the response, or one item of the answer's stream.</typeparam>
public sealed class RpcStreamMethod<TRequest, TIn, TOut> : RpcMethod
{
    /// <summary>Describes a method; called by generated code.</summary>
    /// <param name="service">The service name on the wire.</param>
    /// <param name="name">The method name on the wire.</param>
    /// <param name="kind"><see cref="RpcMethodKind.ClientStream"/> or <see cref="RpcMethodKind.Duplex"/>.</param>
    /// <param name="request">Writes and reads the request.</param>
    /// <param name="item">Writes and reads one item of the caller's stream.</param>
    /// <param name="response">Writes and reads the response, or one item of the answer's stream.</param>
    public RpcStreamMethod(
        string service,
        string name,
        RpcMethodKind kind,
        MessageCodec<TRequest> request,
        MessageCodec<TIn> item,
        MessageCodec<TOut> response)
        : base(service, name, kind)
    {
        if (kind is not (RpcMethodKind.ClientStream or RpcMethodKind.Duplex))
            throw new ArgumentOutOfRangeException(
                nameof(kind), kind, "A method whose caller sends a stream is ClientStream or Duplex.");
        Request = request ?? throw new ArgumentNullException(nameof(request));
        Item = item ?? throw new ArgumentNullException(nameof(item));
        Response = response ?? throw new ArgumentNullException(nameof(response));
    }

    /// <summary>Writes and reads the request.</summary>
    public MessageCodec<TRequest> Request { get; }

    /// <summary>Writes and reads one item of the caller's stream.</summary>
    public MessageCodec<TIn> Item { get; }

    /// <summary>Writes and reads the response, or one item of the answer's stream.</summary>
    public MessageCodec<TOut> Response { get; }
}
