using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A synchronous call with its result. Each thread keeps one per response type and uses it again.</summary>
internal sealed class SyncCall<TResponse> : SyncCall
{
    [ThreadStatic]
    private static SyncCall<TResponse>? _spare;

    private MessageCodec<TResponse>? _codec;
    private TResponse? _result;
    private RpcFailure? _failure;

    /// <summary>One for the calling thread, to be given back by <see cref="TryGiveBack"/>.</summary>
    [MethodImpl(Tiering.Optimized)]
    public static SyncCall<TResponse> Rent(RpcMethod method, MessageCodec<TResponse> codec, ulong deadline)
    {
        SyncCall<TResponse> call = _spare ?? new SyncCall<TResponse>();
        _spare = null;
        call.Reset();
        call.Method = method;
        call.Deadline = deadline;
        call._codec = codec;
        return call;
    }

    /// <summary>Keeps it for the thread's next call, unless somebody may still complete it: then it is left to the
    /// collector.</summary>
    /// <returns><see langword="false"/> when it has not ended, or ends at this moment.</returns>
    [MethodImpl(Tiering.Optimized)]
    public bool TryGiveBack()
    {
        if (!IsSettled)
            return false;

        _result = default;
        _failure = null;
        _spare = this;
        return true;
    }

    /// <summary>Whether a server that ended, or is ending, has not handled it.</summary>
    public bool IsUnhandled => _failure is { IsUnhandled: true };

    /// <summary>The response, or its failure as an exception.</summary>
    [MethodImpl(Tiering.Optimized)]
    public TResponse GetResult(RpcLink link, CancellationToken cancellationToken)
    {
        if (_failure is { } failure)
            throw ExceptionOf(failure, link, cancellationToken);
        return _result!;
    }

    [MethodImpl(Tiering.Optimized)]
    public override string? OnResponse(ReadOnlySpan<byte> body)
    {
        try
        {
            _result = _codec!.Decode(body);
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure, not the reading thread's
        catch (Exception e)
#pragma warning restore CA1031
        {
            _failure = Undecodable(e);
        }

        Complete();
        return null;
    }

    public override string? OnEnd()
    {
        string wrong = Wrong("end");
        OnFailure(new RpcFailure(RpcStatus.DataLoss, wrong));
        return wrong;
    }

    public override void OnFailure(RpcFailure failure)
    {
        _failure = failure;
        Complete();
    }
}
