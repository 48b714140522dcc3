using System;

namespace Ipc;

/// <summary>How long to spin before sleeping, in ns; each end has its own and learns.</summary>
/// <remarks>
/// A wake costs 5 to 45 us on virtual machines, so spinning that long is at worst twice as dear as the best choice. A sleep that turned out
/// shorter than that should have been a spin: the budget doubles. One that lasted longer was not worth spinning for: it halves, down to a
/// minimum that still catches an answer already on its way. With one processor nothing can arrive during a spin: zero.
/// </remarks>
internal struct SpinBudget
{
    public const ulong Longest = 50_000;
    public const ulong Shortest = 4_000;

    private static readonly bool s_useless = Environment.ProcessorCount == 1;

    private ulong _nanoseconds;

    public static SpinBudget Initial => new() { _nanoseconds = 25_000 };

    public readonly ulong Nanoseconds => s_useless ? 0 : _nanoseconds;

    public void SleptFor(ulong nanoseconds)
    {
        _nanoseconds = nanoseconds < Longest
            ? Math.Min(_nanoseconds * 2, Longest)
            : Math.Max(_nanoseconds / 2, Shortest);
    }
}
