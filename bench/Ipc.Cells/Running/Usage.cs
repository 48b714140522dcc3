using System;
using System.Runtime.InteropServices;

namespace Ipc.Matrix.Cells;

/// <summary>What this process has used so far: microseconds of processors, and how often one of its threads went to sleep by itself.</summary>
internal readonly record struct Usage(double Microseconds, long Sleeps)
{
    private const int Words = 18; // struct rusage on 64-bit Linux
    private const int VoluntarySwitches = 16;

    public static unsafe Usage Now()
    {
        long* words = stackalloc long[Words];
        if (GetUsage(0 /* RUSAGE_SELF */, words) != 0)
            throw new InvalidOperationException("getrusage failed.");
        return new Usage(1e6 * (words[0] + words[2]) + words[1] + words[3], words[VoluntarySwitches]);
    }

    public static Usage operator -(Usage left, Usage right) => new(left.Microseconds - right.Microseconds, left.Sleeps - right.Sleeps);

    public static Usage operator +(Usage left, Usage right) => new(left.Microseconds + right.Microseconds, left.Sleeps + right.Sleeps);

    [DllImport("libc", EntryPoint = "getrusage", SetLastError = true)]
    private static extern unsafe int GetUsage(int who, long* usage);
}
