using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Tool;

/// <summary><c>ipc ls</c>: what is there.</summary>
internal static class LsVerb
{
    public static Command Create(Terminal terminal)
    {
        Option<bool> json = CommonOptions.Json();
        var interval = new Option<double>("--interval")
        {
            Description = "Seconds between the two looks that rates are made of; 0: no rates.",
            DefaultValueFactory = static _ => 0.2,
            HelpName = "SECONDS",
        };
        var kind = new Option<string?>("--kind") { Description = "Only regions of this kind.", HelpName = "KIND" };
        kind.AcceptOnlyFromAmong("ring", "listener", "connection", "queue", "topic", "mutex", "semaphore", "event", "named");
        CommonOptions.Require(interval, static value => value is >= 0 and <= 3600, "--interval is 0 to 3600 seconds.");
        var command = new Command("ls", "Lists regions: kinds, sizes, participants alive and dead, depths, rates.") { json, interval, kind };
        command.SetAction(async (parsed, cancel) =>
        {
            (string Directory, string? Machine) places = CommonOptions.PlacesOf(parsed);
            List<RegionReport> reports = await RatedAsync(places, TimeSpan.FromSeconds(parsed.GetValue(interval)), cancel);
            if (parsed.GetValue(kind) is { } wanted)
                reports.RemoveAll(report => report.Kind != wanted);
            if (parsed.GetValue(json))
                Json.Write(terminal.Out, reports);
            else
                Print(terminal, places.Directory, reports);
            return reports.Any(static report => report.State == RegionState.Damaged) ? ExitCode.Problems : ExitCode.Ok;
        });
        return command;
    }

    /// <summary>Looks twice; the second look, with the rates between them.</summary>
    private static async Task<List<RegionReport>> RatedAsync((string Directory, string? Machine) places, TimeSpan interval, CancellationToken cancel)
    {
        List<RegionReport> first = LiveConnections.WithAll(places, InspectionDepth.Quick);
        if (interval <= TimeSpan.Zero || first.Count == 0)
            return first;
        await Task.Delay(interval, cancel);
        List<RegionReport> second = LiveConnections.WithAll(places, InspectionDepth.Quick);
        Rates.Apply(first, second);
        return second;
    }

    private static void Print(Terminal terminal, string directory, List<RegionReport> reports)
    {
        if (reports.Count == 0)
        {
            terminal.Out.WriteLine($"no regions in {Tame.Line(directory)}");
            return;
        }

        terminal.Console.Write(RegionTable.Of(reports).Fit(terminal.Width));
        foreach (RegionReport report in reports.Where(static report => report.Damage.Count > 0))
            terminal.WriteSentence($"{report.Name}: {report.Damage[0]}");
        int dead = reports.Count(static report => report.IsDead);
        if (dead > 0)
            terminal.WriteSentence($"{dead} left by the dead: 'ipc clean --dry-run' shows what would be removed");
    }
}
