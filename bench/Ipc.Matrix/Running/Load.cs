using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;

namespace Ipc.Matrix;

/// <summary>What the machine does for others: beside that, figures are not this machine's.</summary>
/// <param name="Processors">How many of them were busy just before a run began.</param>
internal sealed record Load(double Processors)
{
    private const double Most = 0.25;

    private const int Idle = 3, Waiting = 4; // fields of the first line of /proc/stat, its name left out

    private static readonly TimeSpan s_glance = TimeSpan.FromMilliseconds(500);

    public bool IsBusy => Processors > Most;

    /// <summary>What to say before it is measured.</summary>
    public string Warning => IsBusy
        ? string.Create(CultureInfo.InvariantCulture, $"This machine is busy ({Processors:0.0} processors): the figures will say so.")
        : string.Create(CultureInfo.InvariantCulture, $"This machine does little else ({Processors:0.00} processors).");

    /// <summary>What to say of figures that were measured on one.</summary>
    public string Remark => string.Create(CultureInfo.InvariantCulture, $"The machine was busy with something else when it began ({Processors:0.0} processors): these figures are not to be published.");

    /// <summary>Looks for half a second: not at the load average, which remembers the build of a minute ago.</summary>
    public static Load Now()
    {
        long[] before = Times();
        Thread.Sleep(s_glance);
        long[] after = Times();
        double all = after.Sum() - before.Sum(), idle = after[Idle] + after[Waiting] - before[Idle] - before[Waiting];
        return new Load(all > 0 ? Math.Round(Environment.ProcessorCount * (1 - idle / all), 2) : 0);
    }

    /// <summary>user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.</summary>
    private static long[] Times() =>
        [.. File.ReadLines("/proc/stat").First().Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1).Take(8).Select(static text => long.Parse(text, CultureInfo.InvariantCulture))];
}
