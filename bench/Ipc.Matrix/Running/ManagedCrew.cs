using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>The processes of a managed figure of many: <c>crew</c>, which starts a <c>sender</c> or <c>receiver</c> each.</summary>
/// <remarks>Twin of bench/native/crew.c: the parent tells the workers to begin and takes the time until the last one is done; a queue's receivers
/// are told the end of a round by a message each.</remarks>
internal static class ManagedCrew
{
    /// <summary>Says "ready", then runs a round for each line and writes its value, until its input ends.</summary>
    public static void Measure(string figure, Cores cores, double scale)
    {
        Traffic shape = Traffic.Of(figure);
        string name = "crew-" + Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        bool pair = shape is { Senders: 1, Receivers: 1 };
        Worker Start(string verb, int core) => Worker.Start($"{figure}, {verb}", Programs.Self, pair
            ? [verb, figure, "--name", name, "--cores", $"{core},{core}"]
            : [verb, figure, "--name", name]);

        Worker[] receivers = Enumerable.Range(0, shape.Receivers).Select(_ => Start("receiver", cores.Answering)).ToArray();
        Worker[] senders = Enumerable.Range(0, shape.Senders).Select(_ => Start("sender", cores.Measuring)).ToArray();
        try
        {
            using SharedQueue? queue = shape.IsTopic ? null : SharedQueue.Open(name, Traffic.QueueOptions());
            int each = Math.Max(1, (int)(shape.Count * scale) / shape.Senders);
            Console.WriteLine("ready");
            while (Console.ReadLine() is not null)
                Console.WriteLine(Round(shape, each, senders, receivers, queue).ToString("F4", CultureInfo.InvariantCulture));
        }
        finally
        {
            foreach (Worker worker in senders.Concat(receivers))
                worker.Dispose();
        }
    }

    /// <summary>One worker: says "ready" when it has opened, then does its share for each line.</summary>
    public static void Work(string figure, string name, Cores? core, bool sends)
    {
        Traffic shape = Traffic.Of(figure);
        using ITrafficEnd end = shape.Open(name, sends);
        if (core is not null)
            Cores.PinProcess(core.Measuring);

        Console.WriteLine("ready");
        while (Console.ReadLine() is { } count)
        {
            end.Run(int.Parse(count, CultureInfo.InvariantCulture));
            Console.WriteLine("done");
        }
    }

    private static double Round(Traffic shape, int each, Worker[] senders, Worker[] receivers, SharedQueue? queue)
    {
        int all = each * shape.Senders;
        long began = Stopwatch.GetTimestamp();
        foreach (Worker worker in receivers)
            worker.Tell(all.ToString(CultureInfo.InvariantCulture));
        foreach (Worker worker in senders)
            worker.Tell(each.ToString(CultureInfo.InvariantCulture));
        foreach (Worker worker in senders)
            worker.Expect("done");
        for (int i = 0; queue is not null && i < receivers.Length; i++)
            Traffic.Check(queue.Send([1], Traffic.EndType, Deadline.Never));
        foreach (Worker worker in receivers)
            worker.Expect("done");
        double deliveries = (double)all * (shape.IsTopic ? shape.Receivers : 1);
        return Stopwatch.GetElapsedTime(began).TotalNanoseconds / deliveries;
    }
}
