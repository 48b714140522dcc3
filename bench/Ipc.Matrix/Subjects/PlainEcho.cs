using System;
using System.Diagnostics;

namespace Ipc.Matrix;

/// <summary>What a plain program gets: a new process, default options, no core of its own, its first calls included. The value is the median of all round trips, in us.</summary>
internal abstract class PlainEcho() : Subject(20_000)
{
    public override bool IsPinned => false;

    public override double Measure(int count)
    {
        long[] ticks = Ticks ?? new long[count];
        Run(ticks);
        Array.Sort(ticks);
        return Stopwatch.GetElapsedTime(0, ticks[count / 2]).TotalMicroseconds;
    }

    /// <summary>Fills in how long each round trip took.</summary>
    protected abstract void Run(long[] ticks);
}
