using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Why a call ended without a result. Immutable: one can end many calls; each throws an exception of its
/// own.</summary>
internal sealed class RpcFailure
{
    private readonly Exception? _inner;
    private readonly IReadOnlyList<RpcDetail>? _details;
    private readonly Exception? _own;
    private readonly bool _isUnsent;
    private RpcFailure? _ofUnsent; // [made] once for all calls that it ends
    private readonly RpcMethod? _method; // of a failure that is one call's only

    public RpcFailure(
        RpcStatus status,
        string text,
        string? remoteType = null,
        Exception? inner = null,
        IReadOnlyList<RpcDetail>? details = null,
        RpcMethod? method = null,
        bool isUnsent = false,
        bool isUnhandled = false)
    {
        IsUnhandled = isUnhandled;
        _method = method;
        _isUnsent = isUnsent;
        _details = details;
        Status = status;
        Text = text;
        Cause = text;
        RemoteType = remoteType;
        _inner = inner;
    }

    private RpcFailure(string cause, string? ofCall, long handledTo = long.MaxValue)
        : this(RpcStatus.Unavailable, ofCall is null ? cause : cause + " " + ofCall)
    {
        Cause = cause;
        HandledTo = handledTo;
    }

    private RpcFailure(Exception own)
        : this(own is RpcCallException { Status: var status } ? status : RpcStatus.Cancelled, ErrorText.Of(own)) =>
            _own = own;

    public RpcStatus Status { get; }

    public string Text { get; }

    /// <summary>The part of <see cref="Text"/> that holds where no call was pending.</summary>
    public string Cause { get; }

    public string? RemoteType { get; }

    /// <summary>Whether the callee ended in good order, or is about to, and has not handled the call.</summary>
    public bool IsUnhandled { get; }

    /// <summary>Of the end of a connection: from where on in its ring no request was handled. The largest number is
    /// nowhere.</summary>
    public long HandledTo { get; } = long.MaxValue;

    /// <summary>Whether the peer has said so, and not this side noticed it.</summary>
    public bool IsAnswer { get; set; }

    /// <summary>Of a call that is executed once: why it was not.</summary>
    public RpcOnceRefusal OnceRefusal { get; set; }

    /// <summary>The exception behind it, if there is one.</summary>
    public Exception? Inner => _inner;

    /// <summary>The caller's own code threw inside the call: its stream, its progress. The callee sees a cancellation,
    /// the caller its exception.</summary>
    public static RpcFailure OfCaller(Exception own) => new(own);

    /// <summary>The connection has gone.</summary>
    /// <param name="cause">Why.</param>
    /// <param name="ofCall">What that means for a call that was pending.</param>
    /// <param name="handledTo">From where on in the ring no request was handled.</param>
    public static RpcFailure OfConnection(string cause, string? ofCall = null, long handledTo = long.MaxValue)
        => new(cause, ofCall, handledTo);

    /// <summary>The same for a call that comes when all is over, and was not sent; or that nobody handled.</summary>
    public RpcFailure OfUnsent()
    {
        if (Volatile.Read(ref _ofUnsent) is { } made) // [made]
            return made;
        made = new RpcFailure(
            Status, Cause, RemoteType, _inner, isUnsent: true, isUnhandled: HandledTo != long.MaxValue);
        Volatile.Write(ref _ofUnsent, made); // [made] two at once do no harm
        return made;
    }

    /// <summary>The callee is ending in good order, and has said that it has not handled the call.</summary>
    /// <param name="peer">Who.</param>
    public static RpcFailure Unhandled(string peer)
        => new(
            RpcStatus.Unavailable,
            PeerName.First(peer) + " is stopping and has not handled the call.",
            isUnsent: true,
            isUnhandled: true);

    public static RpcFailure Deadline(RpcMethod method)
        => new(RpcStatus.DeadlineExceeded, "The deadline of a call to " + method.FullName + " passed.", method: method);

    public static RpcFailure Cancelled(RpcMethod method)
        => new(RpcStatus.Cancelled, "A call to " + method.FullName + " was cancelled.", method: method);

    /// <summary>The caller's own cancellation is what its token promises; everything else is an
    /// <see cref="RpcCallException"/>.</summary>
    /// <param name="cancellationToken">The caller's token.</param>
    /// <param name="method">What was called, if that is known.</param>
    /// <param name="peer">Who was called, if that is known.</param>
    public Exception ToException(CancellationToken cancellationToken, RpcMethod? method = null, string? peer = null)
        => _own is not null ? _own
            : Status == RpcStatus.Cancelled && cancellationToken.IsCancellationRequested
            ? new OperationCanceledException(Text, cancellationToken)
            : new RpcCallException(Status, RemoteType, Text, _inner, _details, method ?? _method, peer, _isUnsent)
            {
                OnceRefusal = OnceRefusal,
                IsAnswer = IsAnswer,
            };
}
