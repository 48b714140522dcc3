using System;
using System.Diagnostics;
using System.Threading.Tasks;

namespace Sysmon;

/// <summary>How long something took, in microseconds, many times over.</summary>
internal readonly record struct Distribution(double P50, double P90, double P99, double Max)
{
    public static Distribution Of(int count, Action once)
    {
        var times = new double[count];
        for (int i = -count / 5; i < count; i++) // the first fifth warms up
        {
            long began = Stopwatch.GetTimestamp();
            once();
            if (i >= 0)
                times[i] = Stopwatch.GetElapsedTime(began).TotalMicroseconds;
        }
        return From(times);
    }

    public static async Task<Distribution> OfAsync(int count, Func<Task> once)
    {
        var times = new double[count];
        for (int i = -count / 5; i < count; i++)
        {
            long began = Stopwatch.GetTimestamp();
            await once();
            if (i >= 0)
                times[i] = Stopwatch.GetElapsedTime(began).TotalMicroseconds;
        }
        return From(times);
    }

    private static Distribution From(double[] times)
    {
        Array.Sort(times);
        return new Distribution(times[times.Length / 2], times[times.Length * 9 / 10], times[times.Length * 99 / 100], times[^1]);
    }
}
