using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>How long to spin before sleeping, in ns; each end has its own and learns.</summary>
/// <remarks>
/// A wake costs 5 to 45 us on virtual machines, so spinning that long is at worst twice as dear as the best choice. A
/// spin that found what it waited for doubles the budget; one that did not halves it, down to a minimum that still
/// catches an answer already on its way. How long the sleep after it took says nothing: where the processors are busy,
/// the spin itself may be what the peer waits for. So that ends that have both given up find back to spinning, every
/// 128th miss in a row spins for the full time once. With one processor nothing can arrive during a spin: zero. The
/// machine's processors count, not those that this process may use: the peer may be pinned to others; and where it is
/// not, the budget is soon at its minimum. Threads that wait on one object at the same time share its budget without
/// any order between them: what one learns may be overwritten, and every value that can come of that is a sound one.
/// </remarks>
internal struct SpinBudget
{
    public const ulong Longest = 50_000;
    public const ulong Shortest = 4_000;

    private const uint Probe = 128;

    private ulong _nanoseconds;
    private uint _misses;

    private readonly ulong _longest;

    /// <summary>Spins at most <paramref name="longest"/> ns; 0: <see cref="Longest"/>.</summary>
    public SpinBudget(ulong longest)
    {
        _longest = longest == 0 ? Longest : longest;
        _nanoseconds = Math.Min(25_000, _longest);
        _misses = 0;
    }

    public readonly ulong Nanoseconds => Processors.IsSpinningUseless ? 0 : _nanoseconds;

    /// <summary>The spin found what it waited for, though not at its first looks.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Found()
    {
        _misses = 0;
        _nanoseconds = Math.Min(_nanoseconds * 2, _longest);
    }

    /// <summary>The spin was for nothing: the wait sleeps.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Missed() =>
        _nanoseconds = ++_misses % Probe == 0 ? _longest : Math.Max(_nanoseconds / 2, Math.Min(Shortest, _longest));
}
