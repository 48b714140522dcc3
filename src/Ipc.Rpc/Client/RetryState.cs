using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>How often a call was made, and whether and when it is made again.</summary>
internal struct RetryState
{
    private readonly RpcClientOptions _options;
    private readonly CallSetup _setup;
    private readonly ClientChannel? _within;
    private TimeSpan _pause;
    private BackOff _looks;
    private int _made;
    private bool _waits;
    private bool _mayBeSent; // by an attempt before

    /// <param name="options">The client's.</param>
    /// <param name="setup">Of the call.</param>
    /// <param name="within">The connection whose callback makes the call; <see langword="null"/> for none.</param>
    public RetryState(RpcClientOptions options, CallSetup setup, ClientChannel? within = null)
    {
        _within = within;
        _options = options;
        _setup = setup;
        _pause = options.Retry?.FirstPause ?? default;
        _made = 1;
        Deadline = Deadline.Earlier(setup.CallDeadline(), RpcDeadline.Current);
    }

    /// <summary>When all attempts together have to be over.</summary>
    public Deadline Deadline { get; }

    /// <summary>What is left until then; infinite for never.</summary>
    public static TimeSpan Until(Deadline deadline)
        => deadline == Deadline.Never ? Timeout.InfiniteTimeSpan : deadline.Remaining;

    /// <summary>What the next attempt is made with: it has the time that is left, and if there was no server, room
    /// whatever else waits for the same one.</summary>
    public readonly CallSetup Setup
    {
        get
        {
            CallSetup setup = _waits ? _setup.Exceeding() : _setup;
            return Deadline == Deadline.Never ? setup : setup.WithTimeout(Deadline.Remaining);
        }
    }

    /// <summary>Whether the call is made again, at once when there is a server or by the policy. Decided here once:
    /// a deadline may pass at any time.</summary>
    /// <param name="failure">How it failed.</param>
    /// <param name="isIdempotent">Whether its method may be called twice.</param>
    /// <param name="isOver">Whether the client connects no more.</param>
    public bool GoesOn(RpcCallException failure, bool isIdempotent, bool isOver)
    {
        if (failure.IsOfCaller)
            return false;
        bool hasNoServer = failure.IsUnsent && failure.Status == RpcStatus.Unavailable;
        _waits = hasNoServer && _options.WaitForReady; // if the deadline has passed, the wait ends with that
        // while the callback runs, whose server is about to end, there will be none
        bool isHopeless = hasNoServer && _within is { IsLeaving: true };
        if (!isOver && !isHopeless && (_waits || MayTryAgain(failure, isIdempotent)))
        {
            _mayBeSent |= !failure.IsUnsent;
            return true;
        }

        if (_mayBeSent)
            failure.IsUnsent = false; // of the last attempt that holds, but not of the call
        return false;
    }

    /// <summary>Whether the next attempt is made as soon as there is a server, after the pause. A server that takes
    /// everybody and handles nothing is not asked without one.</summary>
    public readonly bool WaitsForServer => _waits;

    /// <summary>Counts another attempt, if it is by the policy.</summary>
    /// <returns>The pause before it.</returns>
    public TimeSpan Pause(double random) => _waits ? _looks.Next() : Again(random);

    /// <summary>Whether the policy has the call made again.</summary>
    private readonly bool MayTryAgain(RpcCallException failure, bool isIdempotent)
        => _options.Retry is { } policy
            && _made < policy.Attempts
            && policy.On.Contains(failure.Status)
            && (failure.IsUnsent || isIdempotent)
            && (Deadline == Deadline.Never || Deadline.Remaining > _pause);

    private TimeSpan Again(double random)
    {
        TimeSpan most = _options.Retry!.LongestPause;
        TimeSpan pause = TimeSpan.FromTicks((long)(_pause.Ticks * (0.5 + (random / 2))));
        _pause = _pause.Ticks > most.Ticks / 2 ? most : TimeSpan.FromTicks(_pause.Ticks * 2);
        _made++;
        return pause;
    }
}
