using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>How long to spin before sleeping, in ns; each end has its own and learns.</summary>
/// <remarks>
/// A wake costs 5 to 45 us on virtual machines, so spinning that long is at worst twice as dear as the best choice. A
/// spin that found what it waited for doubles the budget; one that did not halves it, and below a microsecond it is
/// nothing: where the processors are busy, the spin itself may be what the peer waits for, and even the shortest one
/// makes the slowest calls slower. How long the sleep after it took says nothing, for the same reason. So that ends
/// that have both given up find back to spinning, a miss now and then is followed by a spin of the full time (a probe):
/// after 8 misses in a row, then after twice as many as the time before, 4,096 at most. One that found nothing is over
/// at once: back to nothing. A sleep of half a millisecond says that there was a pause, and what comes after a pause
/// often comes in a row: the next wait looks for a microsecond, which is all that the second message of a row needs.
/// After 20 ms, which no scheduler makes of a busy processor alone, what was learned is old: the probes begin anew.
/// With one processor nothing can arrive during a spin. The machine's processors count, not those that this process may
/// use: the peer may be pinned to others; and where it is
/// not, the budget is soon at its minimum. Threads that wait on one object at the same time share its budget without
/// any order between them: what one learns may be overwritten, and every value that can come of that is a sound one.
/// </remarks>
internal struct SpinBudget
{
    public const ulong Longest = 50_000;
    public const ulong Usual = Longest / 2;
    public const ulong Shortest = 1_000; // less is none

    private const ulong Pause = 500_000;
    private const ulong LongPause = 20_000_000;
    private const uint FirstProbe = 8;
    private const uint LastProbe = 4096;

    private ulong _nanoseconds;
    private uint _misses;   // in a row, since the last probe
    private uint _interval; // how many make the next probe
    private bool _isProbe;  // the spin under way, or next

    private readonly ulong _longest;

    /// <summary>Spins at most <paramref name="longest"/> ns; 0: <see cref="Longest"/>.</summary>
    public SpinBudget(ulong longest)
    {
        _longest = longest == 0 ? Longest : longest;
        _nanoseconds = Math.Min(Usual, _longest);
        _misses = 0;
        _interval = FirstProbe;
        _isProbe = false;
    }

    public readonly ulong Nanoseconds => Processors.IsSpinningUseless ? 0 : _nanoseconds;

    /// <summary>So many misses in a row make the next probe; 0: there is none.</summary>
    public readonly uint Interval => Processors.IsSpinningUseless ? 0 : _interval;

    /// <summary>The spin found what it waited for. At its first looks that is worth saying only while the budget is
    /// less than <see cref="Usual"/>.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Found()
    {
        _misses = 0;
        _interval = FirstProbe;
        _isProbe = false;
        _nanoseconds = Math.Min(Math.Max(_nanoseconds, Shortest) * 2, _longest);
    }

    /// <summary>The spin was for nothing, or there was none: the wait sleeps.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Missed()
    {
        bool wasProbe = _isProbe;
        _isProbe = ++_misses >= _interval;
        if (_isProbe)
        {
            _misses = 0;
            _interval = Math.Min(_interval * 2, LastProbe);
            _nanoseconds = _longest;
        }
        else
        {
            _nanoseconds = wasProbe || _nanoseconds / 2 < Shortest ? 0 : _nanoseconds / 2;
        }
    }

    /// <summary>So long, in ns, did the wait sleep that <see cref="Missed"/> was told of.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Slept(ulong nanoseconds)
    {
        if (nanoseconds < Pause)
            return;
        _nanoseconds = Math.Max(_nanoseconds, Math.Min(Shortest, _longest));
        if (nanoseconds < LongPause)
            return;
        _misses = 0;
        _interval = FirstProbe;
    }
}
