using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Ipc.Rpc;

/// <summary>An asynchronous call: the source of its own <see cref="ValueTask{TResult}"/>, pooled per response type.</summary>
/// <remarks>Continuations run on the thread pool: on the reading thread they could hold up every other call.</remarks>
internal sealed class AsyncCall<TResponse> : PendingCall, IValueTaskSource<TResponse>
{
    private static readonly Pool<AsyncCall<TResponse>> _pool = new();

    private ManualResetValueTaskSourceCore<TResponse> _core = new() { RunContinuationsAsynchronously = true };
    private ClientChannel? _channel;
    private MessageCodec<TResponse>? _codec;
    private CancellationToken _cancel;
    private CancellationTokenRegistration _registration;

    private AsyncCall()
        : base(isAwaited: true)
    {
    }

    public static AsyncCall<TResponse> Rent(RpcMethod method, MessageCodec<TResponse> codec, ulong deadline, CancellationToken cancel)
    {
        AsyncCall<TResponse> call = _pool.TryTake() ?? new AsyncCall<TResponse>();
        call.Method = method;
        call.Deadline = deadline;
        call._codec = codec;
        call._cancel = cancel;
        return call;
    }

    /// <summary>It was sent: from here on it can be cancelled and awaited.</summary>
    public ValueTask<TResponse> Start(ClientChannel channel)
    {
        _channel = channel;
        if (_cancel.CanBeCanceled)
            _registration = _cancel.Register(static state => ((AsyncCall<TResponse>)state!).Cancel(), this, useSynchronizationContext: false);
        return new ValueTask<TResponse>(this, _core.Version);
    }

    /// <summary>It was not sent, or its result has been taken.</summary>
    public void GiveBack()
    {
        _registration.Dispose(); // after this no callback runs, so none can reach the next call
        _registration = default;
        _cancel = default;
        _channel = null;
        _core.Reset();
        _pool.Put(this);
    }

    public override string? OnResponse(ReadOnlySpan<byte> body)
    {
        TResponse result;
        try
        {
            result = _codec!.Decode(body);
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure, not the reading thread's
        catch (Exception e)
#pragma warning restore CA1031
        {
            OnFailure(Undecodable(e));
            return null;
        }

        _core.SetResult(result);
        return null;
    }

    public override string? OnEnd()
    {
        string wrong = Wrong("end");
        OnFailure(new RpcFailure(RpcStatus.DataLoss, wrong));
        return wrong;
    }

    public override void OnFailure(RpcFailure failure) => _core.SetException(failure.ToException(_cancel));

    TResponse IValueTaskSource<TResponse>.GetResult(short token)
    {
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending) // and a wrong token throws: nothing may be given back then
            throw new InvalidOperationException("The call has not ended; await it.");

        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            GiveBack();
        }
    }

    ValueTaskSourceStatus IValueTaskSource<TResponse>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<TResponse>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _core.OnCompleted(continuation, state, token, flags);

    private void Cancel() => _channel?.EndCall(this, Slot, Use, RpcFailure.Cancelled(Method));
}
