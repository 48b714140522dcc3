using System;
using System.Diagnostics;

namespace OfficeAddin;

/// <summary>Points in time that nobody sets back, in ticks of <see cref="Stopwatch"/>.</summary>
internal static class Clock
{
    public static long Now => Stopwatch.GetTimestamp();

    public static long Ticks(TimeSpan time) => (long)(time.TotalSeconds * Stopwatch.Frequency);

    public static TimeSpan Until(long point) => TimeSpan.FromSeconds((double)(point - Now) / Stopwatch.Frequency);
}
