using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>The two processes of a managed figure: <c>measure</c>, which starts <c>answer</c>, or finds the other half where it was started under a name.</summary>
internal static class ManagedPair
{
    private static readonly double[] s_quantiles = [0.5, 0.99, 0.999];

    /// <summary>Says "ready", then runs a round for each line and writes its value, until its input ends.</summary>
    public static void Measure(string figure, Cores cores, double scale, string name)
    {
        using Subject subject = Subjects.Create(figure);
        string count = Math.Max(1, (int)(subject.Count * scale)).ToString(CultureInfo.InvariantCulture);
        bool isAlone = name.Length == 0;
        if (isAlone)
            name = "bench-" + Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        using Worker? answering = !isAlone ? null : Worker.Start(figure + ", answering process", Programs.Self, "answer", figure, "--cores", cores.ToString(), "--name", name);
        subject.Open(name, Side.Measuring);
        if (subject.IsPinned)
            Cores.PinProcess(cores.Measuring);

        Console.WriteLine("ready");
        while (Console.ReadLine() is { } wish)
        {
            int operations = int.Parse(count, CultureInfo.InvariantCulture);
            subject.Ticks = wish == Worker.Quantiles ? new long[operations] : null;
            answering?.Tell(count);
            double value = subject.Measure(operations);
            answering?.Expect("done");
            Console.WriteLine(subject.Ticks is { } ticks ? Quantiles(ticks) : value.ToString("F4", CultureInfo.InvariantCulture));
        }
    }

    /// <summary>p50, p99, p99.9 and the maximum, in ns. What would be the maximum, of too few, is "-".</summary>
    private static string Quantiles(long[] ticks)
    {
        Array.Sort(ticks);
        int last = ticks.Length - 1;
        IEnumerable<string> some = s_quantiles.Select(quantile => (int)(ticks.Length * quantile)).Select(at => at < last ? Nanoseconds(ticks[at]) : Worker.TooFew);
        return string.Join(' ', some.Append(Nanoseconds(ticks[last])));

        static string Nanoseconds(long ticks) => (ticks * 1e9 / Stopwatch.Frequency).ToString("F0", CultureInfo.InvariantCulture);
    }

    /// <summary>Says "ready" when the other process can connect, then answers a round for each line, until its input ends.</summary>
    public static void Answer(string figure, Cores cores, string name)
    {
        using Subject subject = Subjects.Create(figure);
        subject.Open(name, Side.Answering);
        if (subject.IsPinned)
            Cores.PinProcess(cores.Answering);

        Console.WriteLine("ready");
        while (Console.ReadLine() is { } count)
        {
            subject.Answer(int.Parse(count, CultureInfo.InvariantCulture));
            Console.WriteLine("done");
        }
    }
}
