using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>The waits of one end: stop, resume, close, cancel, and the spin-then-sleep loop that all waits
/// share.</summary>
/// <remarks>
/// Any number of threads may wait at a time (the ends of a ring let one), each on a condition of its own; any thread
/// may stop, resume, close. These set a flag here and then change the words that the end may be sleeping on: the
/// sleeper reads the flag after it has announced itself, so it sees either the flag or the changed word.
/// <para>What it has learned about spinning stands in shared memory for people who look (<c>ipc show</c>): a plain
/// word, stored when it has changed, on a line that no other side reads. No program may act on it.</para>
/// </remarks>
internal sealed unsafe class WaitControl
{
    private const int SpinsBetweenChecks = 64;

    private static readonly Action<object?> s_wake = static control => ((WaitControl)control!).WakeSleepers();

    private readonly WaiterWords* _first;
    private readonly WaiterWords* _second;
    private readonly WaitMode _mode;
    private readonly WaiterWords* _third;
    private readonly Action? _wakeElsewhere;
    private readonly ulong* _shown; // where what it learns is shown; null: nowhere
    private IPeerPlace? _place;
    private SpinBudget _spin;
    private bool _isPeerHere; // at the last wait
    private int _closed;
    private int _stopped;

    /// <summary>An end that sleeps on these words, and on no others. Null: none.</summary>
    /// <param name="style">How it waits.</param>
    /// <param name="first">In memory that whoever ends or wakes keeps mapped.</param>
    /// <param name="second">As <paramref name="first"/>.</param>
    /// <param name="third">As <paramref name="first"/>.</param>
    /// <param name="place">Of the peer's thread.</param>
    /// <param name="wakeElsewhere">It also sleeps on a word of other memory: wakes who sleeps there, if that is mapped.
    /// For any thread.</param>
    /// <param name="shown">Where it says how it waits, a <see cref="SpinWord"/>. Null: nowhere.</param>
    public WaitControl(
        WaitStyle style,
        WaiterWords* first,
        WaiterWords* second,
        WaiterWords* third = null,
        IPeerPlace? place = null,
        Action? wakeElsewhere = null,
        ulong* shown = null)
    {
        _place = place;
        _third = third;
        _wakeElsewhere = wakeElsewhere;
        _spin = new SpinBudget(style.LongestSpin);
        _mode = style.Mode;
        _first = first;
        _second = second;
        if (shown == null)
            return;
        if (_mode == WaitMode.Adaptive)
            _shown = shown;
        else // nothing that it learns is used
            Atomic.StoreRelease(
                ref *shown, SpinWord.Of(_mode == WaitMode.Spin ? SpinWord.Always : SpinWord.Never, 0, 0));
        Show();
    }

    public bool IsClosed => Atomic.LoadAcquire(ref _closed) != 0;

    public bool IsStopped => Atomic.LoadAcquire(ref _stopped) != 0;

    public ulong SpinNanoseconds => _mode == WaitMode.Adaptive ? _spin.Nanoseconds : 0;

    /// <summary>Sets the flag; the caller keeps the memory mapped. Waits return <paramref name="status"/> from here
    /// on.</summary>
    public void End(IpcStatus status)
    {
        Atomic.Exchange(ref status == IpcStatus.Closed ? ref _closed : ref _stopped, 1);
        WakeSleepers();
    }

    /// <summary>The same for <see cref="IpcStatus.Stopped"/>, unless the memory is gone already.</summary>
    public void Stop(MappedView view)
    {
        if (!view.TryUse())
            return;
        try
        {
            End(IpcStatus.Stopped);
        }
        finally
        {
            view.Unuse();
        }
    }

    /// <summary>From now on that is who ends waits. The caller is the one thread that waits here.</summary>
    public void WaitsFor(IPeerPlace? place) => _place = place;

    public void Resume() => Atomic.Exchange(ref _stopped, 0);

    /// <summary>Makes a sleeping thread of this end look again. The caller keeps the memory mapped.</summary>
    public void WakeSleepers()
    {
        if (_first != null)
            Waiter.SignalAlways(_first);
        if (_second != null)
            Waiter.SignalAlways(_second);
        if (_third != null)
            Waiter.SignalAlways(_third);
        _wakeElsewhere?.Invoke();
    }

    /// <summary>Waits until the condition is true (Ok), or says why it stopped waiting.</summary>
    /// <param name="condition">What for.</param>
    /// <param name="waiter">The word to sleep on.</param>
    /// <param name="deadline">When to give up.</param>
    /// <param name="cancellationToken">Ends this wait. Registered only if the wait has to sleep: no allocation
    /// otherwise.</param>
    /// <param name="lag">What it knows about streams. Null: it never lags.</param>
    /// <param name="progress">Of what is waited for, for the lag.</param>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Wait<TCondition>(
        ref TCondition condition,
        WaiterWords* waiter,
        Deadline deadline,
        CancellationToken cancellationToken,
        StreamLag? lag = null,
        ulong progress = 0)
        where TCondition : struct, IWaitCondition
    {
        if (IsOver(ref condition, deadline, cancellationToken, out IpcStatus status))
            return status;

        if (_mode != WaitMode.Block && Spin(ref condition, lag, progress, deadline, cancellationToken, out status))
            return status;

        if (!cancellationToken.CanBeCanceled)
            return Sleep(ref condition, waiter, deadline, cancellationToken);

        CancellationTokenRegistration registration = cancellationToken.Register(s_wake, this);
        try
        {
            return Sleep(ref condition, waiter, deadline, cancellationToken);
        }
        finally
        {
            End(registration);
        }
    }

    /// <summary>Waits for a cancellation that is under way, for it wakes here. Not to be interrupted: what the
    /// condition has taken by now would be nobody's.</summary>
    private static void End(CancellationTokenRegistration registration) =>
        Uninterrupted.Do(static registration => registration.Dispose(), registration);

    /// <summary>True: the wait is over with <paramref name="status"/>. False: the budget is.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool Spin<TCondition>(
        ref TCondition condition,
        StreamLag? lag,
        ulong progress,
        Deadline deadline,
        CancellationToken cancellationToken,
        out IpcStatus status)
        where TCondition : struct, IWaitCondition
    {
        status = IpcStatus.Ok;
        bool forever = _mode == WaitMode.Spin;
        ulong budget = _spin.Nanoseconds;
        if (!forever && _isPeerHere && IsPeerHere())
            return false;
        if (!forever && budget == 0)
        {
            _spin.Missed();
            Show();
            return false;
        }

        if (lag is { IsDue: true })
            lag.Behind(progress, deadline);
        ulong until = Os.Current.Now() + budget;
        for (int turn = 1; ; turn++)
        {
            if (condition.IsTrue())
            {
                if (turn > SpinsBetweenChecks || budget < SpinBudget.Usual)
                {
                    _spin.Found();
                    Show();
                }

                lag?.Learn(turn <= StreamLag.Looks);
                return true;
            }

            SpinPause.Once();
            if (turn % SpinsBetweenChecks != 0)
                continue;

            if (IsOver(ref condition, deadline, cancellationToken, out status))
                return true;
            if (!forever && IsPeerHere())
                return false;
            if (!forever && Os.Current.Now() >= until)
            {
                _spin.Missed();
                Show();
                lag?.Learn(atOnce: false);
                return false;
            }
        }
    }

    /// <summary>Writes what has been learned into the word that shows it, if it is not what stands there.</summary>
    /// <remarks>Release and acquire pair with nothing: there is nothing weaker here (docs/memory-ordering.md, plain
    /// accesses). Once closed, another participant may have the place. A thread that is held up between that look and
    /// the store may still write into its word, which is shown until that one says anew.</remarks>
    private void Show()
    {
        if (_shown == null || IsClosed)
            return;
        ulong word = SpinWord.Of(SpinWord.Adapts, _spin.Interval, (uint)Math.Min(_spin.Nanoseconds, uint.MaxValue));
        if (Atomic.LoadAcquire(ref *_shown) != word)
            Atomic.StoreRelease(ref *_shown, word);
    }

    /// <summary>The peer needs this processor to answer: spinning is useless (processors.h).</summary>
    private bool IsPeerHere() => _isPeerHere = _place is not null && _place.IsPeerHere();

    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private IpcStatus Sleep<TCondition>(
        ref TCondition condition, WaiterWords* waiter, Deadline deadline, CancellationToken cancellationToken)
        where TCondition : struct, IWaitCondition
    {
        ulong began = Os.Current.Now();
        ulong announcedAt = 0;
        for (; ; )
        {
            condition.BeforeSleep();
            uint announced = Waiter.Announce(waiter);
            IpcStatus status = IpcStatus.Ok;
            // [sleep] after the announcement
            if (condition.IsTrue() || IsOver(ref condition, deadline, cancellationToken, out status))
                return status;

            ulong until = NextLook(condition.LongestSleep, deadline, ref announcedAt);
            Os.Current.Sleep(&waiter->Word, waiter->Asleep, announced, until);
            _place?.NotePlace(); // it may have woken on another one

            // Before announcing again: a flag that is left behind costs the publisher a wake that nobody needs.
            if (condition.IsTrue())
            {
                if (!_isPeerHere)
                {
                    _spin.Slept(Os.Current.Now() - began);
                    Show();
                }

                return IpcStatus.Ok;
            }
        }
    }

    /// <summary>Until when who has announced itself, and looked, may sleep, unless it is woken.</summary>
    /// <param name="longest">ns; what it waits for may come without a signal.</param>
    /// <param name="deadline">Of the wait.</param>
    /// <param name="announcedAt">Of the wait: 0 the first time.</param>
    internal static ulong NextLook(ulong longest, Deadline deadline, ref ulong announcedAt)
    {
        if (ProcessWatch.IsWithoutThread)
        {
            ProcessWatch.LookAround();
            longest = Math.Min(longest, ProcessWatch.PollInterval * 1_000_000UL);
        }

        ulong until = Waiter.LimitSleep(deadline.Nanoseconds, ref announcedAt);
        return longest == ulong.MaxValue ? until : Math.Min(until, Os.Current.Now() + longest);
    }

    /// <summary>There is a reason not to wait (any longer). What was waited for has precedence over every reason but
    /// closing: it is looked at last, so what a peer published before it went is still read [close].</summary>
    [MethodImpl(Tiering.Optimized)]
    internal bool IsOver<TCondition>(
        ref TCondition condition, Deadline deadline, CancellationToken cancellationToken, out IpcStatus status)
        where TCondition : struct, IWaitCondition
    {
        status = IpcStatus.Closed;
        if (IsClosed)
            return true;

        status = IsStopped ? IpcStatus.Stopped
            : cancellationToken.IsCancellationRequested ? IpcStatus.Cancelled
            : condition.PeerStatus();
        if (status == IpcStatus.Ok && deadline.HasPassed)
            status = IpcStatus.Timeout;
        if (status == IpcStatus.Ok)
            return false;

        if (condition.IsTrue())
            status = IpcStatus.Ok;
        else if (IsClosed)
            status = IpcStatus.Closed; // a peer that goes because this side has gone
        return true;
    }
}
