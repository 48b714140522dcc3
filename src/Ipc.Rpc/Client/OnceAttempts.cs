using System;

namespace Ipc.Rpc;

// An id is kept from the first attempt on that may have reached a server. Before that a server may refuse it as too
// old, because the server has started since; then a new id is as good, since nothing can have been executed under the
// first.

/// <summary>The attempts of one call that is executed once.</summary>
internal sealed class OnceAttempts
{
    private const int MostAnew = 16;

    private readonly ClientSession _session;
    private readonly CallSetup _setup;
    private readonly Deadline _deadline; // of all attempts together
    private RpcOnceId _id;
    private BackOff _looks;
    private bool _mayBeSent; // under this id
    private int _anew;

    /// <summary>On the thread that makes the call.</summary>
    public OnceAttempts(ClientSession session, CallSetup setup)
    {
        _session = session;
        _setup = setup;
        _deadline = Deadline.Earlier(setup.CallDeadline(), RpcDeadline.Current);
        _id = setup.GivenOnce ?? RpcOnceId.New();
        _mayBeSent = setup.GivenOnce is not null;
        Patience = _deadline;
    }

    /// <summary>What the next attempt is made with.</summary>
    public CallSetup Setup
    {
        get
        {
            CallSetup setup = _setup.WithOnce(_id);
            return _deadline == Deadline.Never ? setup : setup.WithTimeout(_deadline.Remaining);
        }
    }

    /// <summary>Whether the next attempt waits for a server first.</summary>
    public bool WaitsForServer { get; private set; }

    /// <summary>Until when it does.</summary>
    public Deadline Patience { get; private set; }

    /// <summary>The pause before the next attempt.</summary>
    public TimeSpan Pause()
    {
        TimeSpan pause = _looks.Next();
        return Patience != Deadline.Never && Patience.Remaining < pause ? Patience.Remaining : pause;
    }

    /// <summary>Whether another attempt is made after one that failed.</summary>
    public bool GoesOn(RpcCallException failure, RpcMethod method)
    {
        if (failure.IsOfCaller)
            return false;
        bool isOver = _session.End is not null;
        if (failure.OnceRefusal == RpcOnceRefusal.Forgotten && !_mayBeSent && !isOver && _anew++ < MostAnew)
        {
            _id = RpcOnceId.New();
            WaitsForServer = false;
            return true;
        }

        // what a handler says of its own needs is an outcome
        bool isLost = failure.Status == RpcStatus.Unavailable && !failure.IsAnswer;
        if (isLost || failure.OnceRefusal == RpcOnceRefusal.Interrupted)
        {
            if (!failure.IsUnsent)
            {
                _mayBeSent = true;
                WaitsForServer = true;
                if (_deadline == Deadline.Never && !_session.Options.WaitForReady)
                    Patience = Deadline.After(_session.Options.ConnectTimeout);
            }

            if (WaitsForServer && !isOver && _session.Options.AutoReconnect && !Patience.HasPassed)
                return true;
        }

        failure.IsUnsent = !_mayBeSent &&
            (failure.IsUnsent || OnceRefusals.IsNotExecuted(failure.OnceRefusal));
        return false;
    }

    /// <summary>What the call ends with when there was no server in time.</summary>
    /// <param name="failure">Of the last attempt.</param>
    /// <param name="waited">Of the wait.</param>
    public RpcCallException Last(RpcCallException failure, RpcCallException waited)
    {
        bool isLate = waited.Status == RpcStatus.DeadlineExceeded && _deadline == Deadline.Never;
        RpcCallException last = isLate ? failure : waited;
        last.IsUnsent = false; // an attempt was sent: else nothing is waited for
        return last;
    }
}
