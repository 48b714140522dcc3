using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace Ipc.Tool;

/// <summary>Does something again and again for a while.</summary>
internal static class Sampling
{
    /// <summary>The nanoseconds of each time, sorted; the first tenth of the while, in which code is compiled, does not count.</summary>
    public static double[] Take(TimeSpan duration, Action action)
    {
        var times = new List<double>();
        long began = Stopwatch.GetTimestamp();
        for (; ; )
        {
            long start = Stopwatch.GetTimestamp();
            TimeSpan passed = Stopwatch.GetElapsedTime(began, start);
            if (passed >= duration && times.Count > 0)
                break;
            action();
            if (passed >= duration / 10)
                times.Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds);
        }

        times.Sort();
        return [.. times];
    }
}
