using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Ipc.Rpc;

// Nobody reads for an asynchronous call before its caller awaits it. Whoever awaits asks first whether it has
// completed: at that moment the asking thread reads for a while by itself. Only when it then registers a continuation,
// the background reader is told; so many calls can be sent and then awaited one after another, and the first wait
// completes those that have been answered meanwhile.

/// <summary>An asynchronous call: the source of its own <see cref="ValueTask{TResult}"/>, pooled per response
/// type.</summary>
/// <remarks>Continuations run on the thread pool: on the reading thread they could hold up every other call.</remarks>
internal class AsyncCall<TResponse> : PendingCall, IValueTaskSource<TResponse>
{
    private static readonly Pool<AsyncCall<TResponse>> _pool = new();

    private ManualResetValueTaskSourceCore<TResponse> _core = new() { RunContinuationsAsynchronously = true };
    private CallEngine? _engine;
    private MessageCodec<TResponse>? _codec;
    private CallSetup _setup = CallSetup.Default;
    private CallTokens _tokens;
    private bool _polled;

    private protected AsyncCall()
    {
    }

    public override bool HasNews => _core.GetStatus(_core.Version) != ValueTaskSourceStatus.Pending;

    /// <summary>Where it was sent.</summary>
    public CallEngine? Sent => _engine;

    [MethodImpl(Tiering.Optimized)]
    public static AsyncCall<TResponse> Rent(RpcMethod method, MessageCodec<TResponse> codec, in CallRequest how)
    {
        AsyncCall<TResponse> call = _pool.TryTake() ?? new AsyncCall<TResponse>();
        call.Begin(method, codec, in how);
        return call;
    }

    /// <summary>It was sent: from here on it can be awaited.</summary>
    [MethodImpl(Tiering.Optimized)]
    public ValueTask<TResponse> Start()
    {
        if (_tokens.AreTriggered) // it may have been in the moment before there was something to cancel
            Cancel();
        return new ValueTask<TResponse>(this, _core.Version);
    }

    /// <summary>Its caller gets an exception instead of it. If it was sent all the same, it ends, and whoever completes
    /// it has it to itself.</summary>
    public void Abandon()
    {
        if (Volatile.Read(ref _engine) is not null) // [engine]
        {
            Cancel();
            return;
        }

        _tokens.Unregister();
        GiveBack();
    }

    /// <summary>It was never sent, or its result has been taken: nobody else can touch it any more.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void GiveBack()
    {
        _tokens = default;
        _engine = null;
        _setup = CallSetup.Default;
        _polled = false;
        _core.Reset();
        ResetCall();
        Recycle();
    }

    /// <inheritdoc/>
    public override void OnSending(CallEngine engine) => Volatile.Write(ref _engine, engine); // [engine]

    [MethodImpl(Tiering.Optimized)]
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

        _tokens.Unregister();
        Succeed(result);
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
        _tokens.Unregister();
        SetException(failure);
    }

    [MethodImpl(Tiering.Optimized)]
    TResponse IValueTaskSource<TResponse>.GetResult(short token)
    {
        // and a wrong token throws: nothing may be given back then
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending)
            throw new InvalidOperationException("The call has not ended; await it.");

        try
        {
            _setup.Tell(this);
            return _core.GetResult(token);
        }
        finally
        {
            GiveBack();
        }
    }

    [MethodImpl(Tiering.Optimized)]
    ValueTaskSourceStatus IValueTaskSource<TResponse>.GetStatus(short token)
    {
        ValueTaskSourceStatus status = _core.GetStatus(token);
        if (status != ValueTaskSourceStatus.Pending)
            return status;

        if (Volatile.Read(ref _engine) is not { } engine) // [engine]
            return status; // there is no connection to read from yet

        RpcLink link = engine.Link;
        if (TaskHabit.Making is { } habit)
            return StatusForTask(habit, link);

        RpcBatch.BeforeWait(link);
        Read(link);
        return _core.GetStatus(token);
    }

    void IValueTaskSource<TResponse>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        if (Volatile.Read(ref _engine) is { } engine) // [engine] else the connection that takes it will be read
        {
            bool attends = TryAttend(engine.Link);
            if (TaskHabit.Making is null || !RpcBatch.TryHoldAwaited(engine))
            {
                RpcBatch.BeforeWait(engine.Link);
                if (attends)
                    engine.Link.WakeReader();
            }
        }

        _core.OnCompleted(continuation, state, token, flags); // the last thing: it may run at once, and give this back
    }

    /// <summary>For one that a task is made of: whether somebody waits for it is not known.</summary>
    [MethodImpl(Tiering.Optimized)]
    private ValueTaskSourceStatus StatusForTask(TaskHabit habit, RpcLink link)
    {
        long now = Stopwatch.GetTimestamp();
        if (RpcBatch.IsHeld(link) || !habit.MayPoll(this, now))
            return ValueTaskSourceStatus.Pending;

        RpcBatch.BeforeWait(link);
        Read(link);
        ValueTaskSourceStatus status = _core.GetStatus(_core.Version);
        habit.HasPolled(this, Stopwatch.GetTimestamp() - now, inVain: status == ValueTaskSourceStatus.Pending);
        return status;
    }

    /// <summary>On the thread that is about to wait.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void Read(RpcLink link)
    {
        if (_polled)
        {
            link.ReadWhatIsThere(); // somebody asks again and again instead of awaiting
            return;
        }

        _polled = true;
        link.Poll(this);
    }

    [MethodImpl(Tiering.Optimized)]
    private protected void Begin(RpcMethod method, MessageCodec<TResponse> codec, in CallRequest how)
    {
        Method = method;
        Deadline = how.Deadline.Nanoseconds;
        _codec = codec;
        _setup = how.Setup;
        _tokens = new CallTokens(how.Cancel, how.Handler);
        _tokens.Register(static state => ((AsyncCall<TResponse>)state!).Cancel(), this);
    }

    /// <summary>Completes it with a response.</summary>
    private protected virtual void Succeed(TResponse result) => _core.SetResult(result);

    /// <summary>It has ended.</summary>
    private protected void Unregister() => _tokens.Unregister();

    private protected void SetResult(TResponse result) => _core.SetResult(result);

    private protected void SetException(RpcFailure failure) =>
        _core.SetException(ExceptionOf(failure, Sent?.Link, _tokens.Triggered));

    /// <summary>Keeps it for another call. Only those of this very type are kept: others have a state that late frames
    /// may still touch.</summary>
    private protected virtual void Recycle() => _pool.Put(this);

    private void Cancel()
    {
        RpcFailure failure = RpcFailure.Cancelled(Method);
        // [engine] it may be taken at this moment: then there is an engine afterwards
        if (Early?.TryEnd(failure) != true)
            Volatile.Read(ref _engine)?.EndCall(this, Slot, Use, failure);
    }
}
