using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Ipc;

/// <summary>A pending asynchronous call: what it waits for, and what becomes of it. Recycled, so that awaiting
/// allocates nothing in steady state.</summary>
/// <remarks>
/// <para>Life: rented and begun by the caller's thread; looked at by an <see cref="AsyncWaitThread"/>; completed by the
/// thread pool, which fetches the result and runs the continuation (or posts it to the context that was captured);
/// given back by who takes the result. Each is the only one that touches it at its time.</para>
/// <para>It is recycled only when its result has been taken, and a <see cref="ValueTask"/> may be awaited once: one
/// that is awaited again finds another version and throws.</para>
/// </remarks>
internal abstract unsafe class AsyncWait<TCondition, TResult> : AsyncWait, IValueTaskSource<TResult>, IValueTaskSource
    where TCondition : struct, IWaitCondition
{
    private static readonly Action<object?> s_cancelled = static wait => Waiter.SignalAlways(((AsyncWait)wait!).Words);

    private WaitControl? _control;
    private MappedView? _view;
    private Deadline _deadline;
    private ulong _announcedAt; // 0: not yet
    private IpcStatus _status;
    private Exception? _error;
    private CancellationTokenRegistration _registration;
    private ManualResetValueTaskSourceCore<TResult> _core;
    private TCondition _condition;

    private protected ref TCondition Condition => ref _condition;

    private protected CancellationToken Cancel { get; private set; }

    /// <summary>Begins to wait; nothing of the object's may be done before it is over, if it is one for one thread at a
    /// time.</summary>
    /// <param name="control">Of the object.</param>
    /// <param name="words">Where to sleep.</param>
    /// <param name="view">Kept mapped meanwhile; the caller's condition keeps the object itself alive.</param>
    /// <param name="deadline">When to give up.</param>
    /// <param name="cancellationToken">Ends it.</param>
    private protected short Begin(
        WaitControl control,
        WaiterWords* words,
        MappedView view,
        Deadline deadline,
        CancellationToken cancellationToken)
    {
        _core.Reset();
        _control = control;
        _deadline = deadline;
        _announcedAt = 0;
        _error = null;
        Cancel = cancellationToken;
        Words = words;
        Announced = 0;
        short version = _core.Version;
        bool cancelled = cancellationToken.IsCancellationRequested; // already: then it does not even look
        if (cancelled || !view.TryUse())
        {
            _status = cancelled ? IpcStatus.Cancelled : IpcStatus.Closed;
            Complete();
            return version;
        }

        _view = view;
        if (cancellationToken.CanBeCanceled)
            _registration = Register(cancellationToken);
        try
        {
            AsyncWaitThread.Add(this);
        }
        catch (Exception error) when (error is OutOfMemoryException or ThreadStartException)
        {
            _error = error;
            QueueCompletion();
        }

        return version;
    }

    private protected override bool Look(ref ulong until)
    {
        try
        {
            if (_condition.IsTrue())
            {
                _status = IpcStatus.Ok;
                return true;
            }

            bool othersFence = _condition.BeforeSleep();
            ChooseWords();
            Announced = Waiter.Announce(Words, othersFence);
            if (_condition.IsTrue()) // [sleep] after the announcement
            {
                _status = IpcStatus.Ok;
                return true;
            }

            if (_control!.IsOver(ref _condition, _deadline, Cancel, out _status))
                return true;
            until = WaitControl.NextLook(_condition.LongestSleep, _deadline, ref _announcedAt);
            return false;
        }
#pragma warning disable CA1031 // corrupt memory, or too little of it: it is the awaiter's, the thread serves others
        catch (Exception error)
#pragma warning restore CA1031
        {
            _error = error;
            return true;
        }
    }

    public override void Fail(Exception error) => _error = error;

    private protected override void Complete()
    {
        _registration.Dispose(); // waits for a callback that is under way: from here on nobody signals there for us
        _registration = default;
        TResult result = default!;
        try
        {
            if (_error is null)
                result = Finish(_status);
        }
#pragma warning disable CA1031 // whoever awaits gets it
        catch (Exception error)
#pragma warning restore CA1031
        {
            _error = error;
        }

        EndCondition();
        _view?.Unuse();
        _view = null;
        if (_error is null)
            _core.SetResult(result);
        else
            _core.SetException(_error);
    }

    /// <summary>Before each announcement: where to sleep, if that is not always the same place. A cancellation that
    /// comes before it is seen behind it; one that comes later signals there.</summary>
    private protected virtual void ChooseWords()
    {
    }

    /// <summary>The result of a wait that ended so, or an exception. On the thread pool; the memory is
    /// mapped.</summary>
    private protected abstract TResult Finish(IpcStatus status);

    /// <summary>Gives back what the condition still has, in every case.</summary>
    private protected virtual void EndCondition()
    {
    }

    /// <summary>Puts it where the next one can be rented. What it refers to has been cleared.</summary>
    private protected abstract void GiveBack();

    public TResult GetResult(short token)
    {
        ValueTaskSourceStatus status = _core.GetStatus(token); // throws for another version
        if (status == ValueTaskSourceStatus.Pending)
            throw new InvalidOperationException(
                "The result of a pending ValueTask was asked for. Await it, or make a Task of it (AsTask).");
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            _condition = default;
            _control = null;
            _error = null;
            Cancel = default;
            _core.Reset(); // now: who awaits it twice is told, even before it is rented again
            GiveBack();
        }
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private CancellationTokenRegistration Register(CancellationToken cancellationToken) =>
#if NET
        cancellationToken.UnsafeRegister(s_cancelled, this);
#else
        cancellationToken.Register(s_cancelled, this, useSynchronizationContext: false);
#endif
}
