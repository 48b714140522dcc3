using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text.Json;

namespace Ipc.Matrix.Cells;

/// <summary>The process that measures a group of cells: starts the one that answers, then takes a line for each cell and writes one.</summary>
internal static class MeasuringProcess
{
    public const string Failed = "failed ";

    public static string Self => Path.Combine(AppContext.BaseDirectory, "Ipc.Cells");

    /// <summary>Says "ready", then measures a cell for each line, until its input ends. A cell that fails ends both processes: what their connection is in is not known.</summary>
    public static int Run(Cell first, Plan plan, Cores cores)
    {
        string name = "cells-" + Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        using Worker answering = Worker.Start("answering process", Self, "answer", first.Name, "--cores", cores.ToString(), "--name", name);
        using Link link = Links.Create(first.Transport);
        link.Open(name, Side.Measuring, Waits.Of(first.Wait), first.Serializer);
        Cores.PinProcess(cores.Measuring);
        Console.WriteLine("ready");
        while (Console.ReadLine() is { } line)
        {
            try
            {
                Console.WriteLine(JsonSerializer.Serialize(Measure(link, answering, new Work(Cell.Parse(line)), plan)));
            }
#pragma warning disable CA1031 // whatever it is, it is this cell's: the next process measures the others
            catch (Exception problem)
#pragma warning restore CA1031
            {
                Console.WriteLine(Failed + Reason(problem));
                return 1;
            }
        }

        return 0;
    }

    private static Result Measure(Link link, Worker answering, Work work, Plan plan)
    {
        answering.Tell("cell " + work.Cell.Name);
        link.Prepare(work);
        answering.Expect("ready");
        double each = WarmUp(link, answering, work, plan);
        int count = plan.Messages(work, each);
        List<Round> rounds = [];
        Usage theirs = UsageOf(answering), ours = Usage.Now();
        long first = work.Number;
        for (int i = 0; i < plan.Rounds; i++)
            rounds.Add(RunRound(link, answering, work, count));
        Usage used = Usage.Now() - ours + UsageOf(answering) - theirs;
        return Statistics.Of(work, rounds, used, work.Number - first);
    }

    /// <summary>Returns what a message took in the best round: one round that was held up must not make all others short.</summary>
    private static double WarmUp(Link link, Worker answering, Work work, Plan plan)
    {
        long began = Stopwatch.GetTimestamp();
        int count = work.Batch;
        double best = double.MaxValue;
        for (; ; )
        {
            Round round = RunRound(link, answering, work, count);
            best = Math.Min(best, round.Seconds / round.Messages);
            if (Stopwatch.GetElapsedTime(began) >= plan.WarmUp)
                return best;
            count = (int)Math.Min(4L * count, plan.Messages(work, best));
        }
    }

    private static Round RunRound(Link link, Worker answering, Work work, int count)
    {
        answering.Tell(count.ToString(CultureInfo.InvariantCulture));
        Round round = new();
        link.Measure(work, count, round);
        answering.Expect("done");
        if (round.Messages != count)
            throw new InvalidDataException($"{round.Messages} messages were counted instead of {count}.");
        return round;
    }

    private static Usage UsageOf(Worker answering)
    {
        string[] parts = answering.Ask("usage").Split(' ');
        return new Usage(double.Parse(parts[0], CultureInfo.InvariantCulture), long.Parse(parts[1], CultureInfo.InvariantCulture));
    }

    private static string Reason(Exception problem)
    {
        Exception cause = problem is AggregateException { InnerException: { } inner } ? inner : problem;
        return $"{cause.GetType().Name}: {cause.Message}".ReplaceLineEndings(" ");
    }
}
