using System;
using System.Diagnostics;

namespace Ipc.Tool;

/// <summary>Numbers that only grow, at one moment; two of them make a rate.</summary>
internal sealed record Counters(string Id, string Unit, ulong In, ulong? Out)
{
    private readonly long _taken = Stopwatch.GetTimestamp();

    /// <summary>Null when the other is of another region, or the numbers went backwards.</summary>
    public RateReport? Since(Counters earlier)
    {
        double seconds = Stopwatch.GetElapsedTime(earlier._taken, _taken).TotalSeconds;
        if (earlier.Id != Id || seconds <= 0 || In < earlier.In || Out < earlier.Out)
            return null;
        return new RateReport(Unit, Math.Round((In - earlier.In) / seconds, 1), Out is null ? null : Math.Round((double)(Out - earlier.Out)! / seconds, 1));
    }
}
