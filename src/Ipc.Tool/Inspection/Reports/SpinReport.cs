namespace Ipc.Tool;

/// <summary>How somebody waits, and what it has learned about spinning, as it says itself; docs/wire-format/performance.md.</summary>
/// <param name="Mode">adaptive, spin, block.</param>
/// <param name="Nanoseconds">So long does its next wait spin at most. Only of adaptive, as the next one.</param>
/// <param name="TriesAfter">After so many waits in a row for which spinning was of no use, it spins for the full time once; 0: never, as with one processor.</param>
internal sealed record SpinReport(string Mode, uint? Nanoseconds, uint? TriesAfter)
{
    /// <summary>Null: it does not say.</summary>
    public static SpinReport? Of(ulong word) => SpinWord.ModeOf(word) switch
    {
        0 => null,
        SpinWord.Adapts => new("adaptive", SpinWord.NanosecondsOf(word), SpinWord.IntervalOf(word)),
        SpinWord.Always => new("spin", null, null),
        SpinWord.Never => new("block", null, null),
        var mode => new($"{mode}, which is none", null, null),
    };

    public override string ToString() => Mode switch
    {
        "adaptive" when Nanoseconds > 0 => $"spins for {Human.Duration((double)Nanoseconds)} before it sleeps",
        "adaptive" when TriesAfter > 0 => $"sleeps at once, tries to spin every {TriesAfter} waits",
        "adaptive" or "block" => "sleeps at once",
        "spin" => "spins, never sleeps",
        _ => $"waits in mode {Mode}",
    };
}
