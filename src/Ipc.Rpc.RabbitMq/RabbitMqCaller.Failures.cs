using System;
using System.Threading;

namespace Ipc.Rpc.RabbitMq;

/// <content>What calls fail with here.</content>
public sealed partial class RabbitMqCaller
{
    private const string Raise = " Raise it at all ends, and at the broker.";

    internal static RpcCallException TooMany(RpcMethod method, int most, string peer)
        => RpcCallException.OfTransport(
            RpcStatus.ResourceExhausted,
            most + " calls are under way, as many as " + nameof(RabbitMqClientOptions) + "." +
            nameof(RabbitMqClientOptions.MaxPendingCalls) + " allows.",
            method,
            peer,
            isUnsent: true);

    private RpcCallException TooLarge(RpcMethod method, int length, bool isUnsent, Exception? inner = null) => Failed(
        method,
        RpcStatus.ResourceExhausted,
        "The request of " + method.FullName + " has " + length + " bytes; " +
        _options.SaysMostToSend(nameof(RabbitMqClientOptions)) + Raise,
        isUnsent,
        inner);

    /// <summary>What ended the call: its token, the handler that made it, the client's end, or the deadline.</summary>
    internal Exception Stopped(RpcMethod method, Exception stopped, CancellationToken[] tokens)
    {
        foreach (CancellationToken token in tokens)
        {
            if (token.IsCancellationRequested)
                return new OperationCanceledException(
                    "A call to " + method.FullName + " was cancelled.", stopped, token);
        }

        return _recovery.Closing.IsCancellationRequested
            ? Failed(
                method, RpcStatus.Unavailable,
                "The client was disposed. Whether the call was handled is not known.", inner: stopped)
            : Failed(
                method, RpcStatus.DeadlineExceeded, "The deadline of a call to " + method.FullName + " passed.");
    }

    /// <summary>The failure of the call, of which the last attempt's is one part.</summary>
    internal RpcCallException Whole(RpcCallException last, RpcMethod method, bool mayBeSent)
        => last.Method is not null && !(mayBeSent && last.IsUnsent)
            ? last
            : RpcCallException.OfTransport(
                last.Status, last.Message, method, _address.Peer, last.RemoteType, last.Details,
                last.IsUnsent && !mayBeSent, last.InnerException);

    /// <summary>Somebody has ended the call here.</summary>
    internal RpcCallException Cancelled(RpcMethod method)
        => Failed(method, RpcStatus.Cancelled, "A call to " + method.FullName + " was cancelled.");

    private RpcCallException Failed(
        RpcMethod method, RpcStatus status, string text, bool isUnsent = false, Exception? inner = null)
        => RpcCallException.OfTransport(status, text, method, _address.Peer, isUnsent: isUnsent, inner: inner);
}
