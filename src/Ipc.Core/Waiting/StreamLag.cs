using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Lagging behind a stream. Twin of lag.h, where the reasons stand.</summary>
/// <remarks>
/// Who receives as fast as another sends takes from the sender the very line that it is writing: each message then
/// costs the way of a line there and back. Waits that are over within their first looks, many in a row, show such a
/// stream; the next wait then keeps its eyes closed for about a microsecond, in which a portion comes together. If none
/// does, it was quick request and reply, and there is no lagging for the next thousand waits. Threads that wait on one
/// object at the same time may lose each other's steps, no more.
/// </remarks>
internal sealed class StreamLag
{
    /// <summary>A wait that is over within so many looks was over at once.</summary>
    public const int Looks = 4;

    private const int Stream = 8;       // so many of them in a row are a stream
    private const ulong Portion = 8;    // fewer messages after a lag: it was none
    private const int Penalty = 1000;   // waits without lagging then
    private const ulong Longest = 1500; // ns; longer gains nothing: docs/performance.md
    private const ulong Shortest = 200; // ns; less than that is not worth reading the clock
    private const ulong PerSlot = 6;    // ns; half of what a message takes in full flow: a lag fills half of the slots

    private readonly ulong _longest; // 0: never lags
    private int _streak;             // below 0 it counts off a penalty; one beyond Stream: the last wait lagged
    private ulong _progress;

    /// <summary>For a ring of <paramref name="slots"/>. Who wants the lowest latency, never spins or limits the
    /// spinning to less does not lag.</summary>
    public StreamLag(WaitStyle style, uint slots)
    {
        ulong longest = Math.Min(slots * PerSlot, Longest);
        bool mayLag = style.Mode == WaitMode.Adaptive && longest >= Shortest &&
            (style.LongestSpin == 0 || style.LongestSpin >= longest);
        _longest = mayLag ? longest : 0;
    }

    public bool IsDue
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _streak >= Stream;
    }

    /// <summary>At the beginning of a wait, when it is due.</summary>
    /// <param name="progress">Messages that have gone by, by whatever count.</param>
    /// <param name="deadline">Not beyond it.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Behind(ulong progress, Deadline deadline)
    {
        if (_streak > Stream && progress - _progress < Portion)
        {
            _streak = -Penalty;
            return;
        }

        _progress = progress;
        _streak = Stream + 1;
        ulong now = Os.Current.Now();
        ulong until = Math.Min(now + _longest, deadline.Nanoseconds);
        while (now < until)
        {
            SpinPause.Once();
            now = Os.Current.Now();
        }
    }

    /// <summary>At the end of a spin.</summary>
    public void Learn(bool atOnce)
    {
        int streak = _streak;
        if (atOnce && streak < Stream)
            _streak = _longest == 0 ? 0 : streak + 1;
        else if (!atOnce && streak > 0)
            _streak = streak >= Stream ? 0 : streak - 1;
    }
}
