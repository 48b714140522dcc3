using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Linq;
using Spectre.Console;

namespace Ipc.Tool;

/// <summary><c>ipc bench</c>: quick figures of this machine, each beside what its caches allow.</summary>
internal static class BenchVerb
{
    private const int EchoCount = 100_000;
    private static int s_last;

    public static Command Create(Terminal terminal)
    {
        Option<bool> json = CommonOptions.Json();
        var seconds = new Option<double>("--seconds") { Description = "For each figure.", HelpName = "SECONDS", DefaultValueFactory = static _ => 1 };
        CommonOptions.Require(seconds, static value => value is >= 0.05 and <= 60, "--seconds is 0.05 to 60.");
        var command = new Command("bench", "Measures round trips and one-way traffic between two processes, beside the machine's own limit, in less than half a minute.") { seconds, json };
        command.SetAction(parsed =>
        {
            CommonOptions.DirectoryOf(parsed);
            List<Measurement> all = [.. Run(TimeSpan.FromSeconds(parsed.GetValue(seconds)))];
            if (parsed.GetValue(json))
                Json.Write(terminal.Out, all);
            else
                Print(terminal, all);
            return all.Any(static one => one.Problem is not null) ? ExitCode.Problems : ExitCode.Ok;
        });
        return command;
    }

    private static IEnumerable<Measurement> Run(TimeSpan duration)
    {
        double limit = PingPong.Nanoseconds();
        yield return Measurement.RoundTrip("limit: two threads, two cache lines", limit);
        int echoes = Math.Max(1000, (int)Math.Min(EchoCount * duration.TotalSeconds, 1e6));
        yield return Try("ring: echo of 64 bytes", limit, name => Measurement.RoundTrip("", Median(RingEcho.Measure(name, echoes, 64, out string? problem), problem)));
        yield return Try("call: synchronous, 64 bytes", limit, name => Measurement.RoundTrip("", Median(RpcBench.Measure(name, duration), null)));
        yield return Try("ring: 64 bytes one way", limit, name => Measurement.OneWay("", StreamBench.Measure(StreamBench.RingRole, name, duration)));
        yield return Try("queue: 64 bytes one way", limit, name => Measurement.OneWay("", StreamBench.Measure(StreamBench.QueueRole, name, duration)));
        yield return Try("topic: 64 bytes one way", limit, name => Measurement.OneWay("", StreamBench.Measure(StreamBench.TopicRole, name, duration)));
    }

    private static Measurement Try(string what, double limit, Func<string, Measurement> measure)
    {
        try
        {
            Measurement found = measure($"ipc-bench-{Environment.ProcessId}-{++s_last}");
            return found with { Name = what, Limits = Math.Round(found.Nanoseconds / limit, 2) };
        }
        catch (Exception error) when (error is IpcException or ToolException or Ipc.Rpc.RpcCallException)
        {
            return Measurement.None(what, error.Message);
        }
    }

    private static double Median(double[] sorted, string? problem) => problem is null ? sorted[sorted.Length / 2] : throw new ToolException(ExitCode.Problems, problem);

    private static void Print(Terminal terminal, List<Measurement> all)
    {
        const int Width = 32;
        foreach (bool isRoundTrip in new[] { true, false })
        {
            List<Measurement> some = [.. all.Where(one => one.IsRoundTrip == isRoundTrip && one.Problem is null)];
            if (some.Count == 0)
                continue;
            terminal.Console.MarkupLine(isRoundTrip ? "[bold]round trips, median[/]" : "[bold]one way, time per message[/]");
            double most = some.Max(static one => one.Nanoseconds);
            foreach (Measurement one in some)
            {
                string bar = new('#', Math.Max(1, (int)Math.Round(Width * one.Nanoseconds / most)));
                string limits = one.Limits is { } times && isRoundTrip ? $"{times:0.0#} x the limit" : "";
                terminal.Out.WriteLine($"  {one.Name,-36}{Human.Duration(one.Nanoseconds),9}  {Human.Count(one.PerSecond) + "/s",9}  {bar.PadRight(Width)}  {limits}".TrimEnd());
            }
        }

        foreach (Measurement one in all.Where(static one => one.Problem is not null))
            terminal.Out.WriteLine($"  {one.Name}: {Tame.Line(one.Problem!)}");
        if (all.Any(static one => one is { IsRoundTrip: true, Limits: < 1 }))
            terminal.Out.WriteLine("Something beat the limit: this machine was too busy to find it out. Measure again when it is idle.");
        terminal.Out.WriteLine($"{Environment.ProcessorCount} processors. Others' work, sleeping processors and a guest's host change these figures: measure twice.");
    }
}
