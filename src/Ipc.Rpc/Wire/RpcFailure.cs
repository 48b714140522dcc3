using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Why a call ended without a result. Immutable: one can end many calls; each throws an exception of its own.</summary>
internal sealed class RpcFailure
{
    private readonly Exception? _inner;
    private readonly IReadOnlyList<RpcDetail>? _details;
    private readonly Exception? _own;

    public RpcFailure(RpcStatus status, string text, string? remoteType = null, Exception? inner = null, IReadOnlyList<RpcDetail>? details = null)
    {
        _details = details;
        Status = status;
        Text = text;
        RemoteType = remoteType;
        _inner = inner;
    }

    private RpcFailure(Exception own)
        : this(RpcStatus.Cancelled, own.Message) => _own = own;

    public RpcStatus Status { get; }

    public string Text { get; }

    public string? RemoteType { get; }

    /// <summary>The caller's own code threw inside the call: its stream, its progress. The callee sees a cancellation, the caller its exception.</summary>
    public static RpcFailure OfCaller(Exception own) => new(own);

    public static RpcFailure Deadline(RpcMethod method)
        => new(RpcStatus.DeadlineExceeded, "The deadline of a call to " + method.FullName + " passed.");

    public static RpcFailure Cancelled(RpcMethod method)
        => new(RpcStatus.Cancelled, "A call to " + method.FullName + " was cancelled.");

    /// <summary>The caller's own cancellation is what its token promises; everything else is an <see cref="RpcException"/>.</summary>
    public Exception ToException(CancellationToken cancel)
        => _own is not null ? _own
            : Status == RpcStatus.Cancelled && cancel.IsCancellationRequested
            ? new OperationCanceledException(Text, cancel)
            : new RpcException(Status, RemoteType, Text, _inner, _details);
}
