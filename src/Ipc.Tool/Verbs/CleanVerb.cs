using System;
using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Linq;

namespace Ipc.Tool;

/// <summary><c>ipc clean</c>: removes what the dead have left, and nothing else: messages that nobody has received only when that is asked for.</summary>
/// <remarks>
/// What is dead is seen from outside first, and decided under the region's lock: a region that somebody joins in between stays. What cannot be
/// judged (a damaged region, a foreign file, a temporary file whose maker may live) is named and left to people.
/// </remarks>
internal static class CleanVerb
{
    public static Command Create(Terminal terminal)
    {
        Option<bool> json = CommonOptions.Json();
        var dryRun = new Option<bool>("--dry-run", "-n") { Description = "Only say what would be removed." };
        var force = new Option<bool>("--force", "-f") { Description = "Also rings and queues that nobody has open, with the unread messages in them." };
        var command = new Command("clean", "Removes regions that a crash left; what lives, is persistent or holds unread messages stays.") { dryRun, force, json };
        command.SetAction(parsed =>
        {
            (string directory, string? machine) = CommonOptions.PlacesOf(parsed);
            List<RegionReport> reports = Inspector.All(directory, InspectionDepth.Quick);
            if (machine is not null)
                reports.AddRange(Inspector.All(machine, InspectionDepth.Quick, RegionNames.OfMachine));
            List<CleanResult> results = [.. reports.Select(report => Judge(report, parsed.GetValue(dryRun), parsed.GetValue(force))).OfType<CleanResult>()];
            if (parsed.GetValue(json))
                Json.Write(terminal.Out, results);
            else
                Print(terminal, directory, results, parsed.GetValue(dryRun));
            return results.Any(static result => result.Action == CleanAction.Failed) ? ExitCode.Problems : ExitCode.Ok;
        });
        return command;
    }

    /// <summary>Null: it is alive, or kept, and not our business.</summary>
    private static CleanResult? Judge(RegionReport report, bool dryRun, bool force)
    {
        switch (report.State)
        {
            case RegionState.LeftOver or RegionState.Retired or RegionState.Idle when !RegionNames.IsPossible(report.Name):
                return new CleanResult(report.Name, report.Kind, CleanAction.Left, "no region can have this name: somebody has put the file there", report.Memory);
            case RegionState.LeftOver or RegionState.Retired when report.IsStrangers:
                return new CleanResult(report.Name, report.Kind, CleanAction.Left, report.Notes.FirstOrDefault() ?? "", report.Memory);
            case RegionState.Idle when force && report.IsStrangers:
                return new CleanResult(report.Name, report.Kind, CleanAction.Left, report.Notes.FirstOrDefault() ?? "", report.Memory);
            case RegionState.LeftOver or RegionState.Retired:
                string why = report.State == RegionState.Retired ? "it has ended" : report.Kind == "connection" ? "nobody's connection" : "nobody who lives uses it";
                return dryRun ? new CleanResult(report.Name, report.Kind, CleanAction.WouldRemove, why, report.Memory) : Remove(report, why, force: false);
            case RegionState.Idle when force && report.Lifetime == Lifetime.UntilEmpty:
                string lost = $"nobody who lives uses it; {report.Unread} unread messages went with it";
                return dryRun ? new CleanResult(report.Name, report.Kind, CleanAction.WouldRemove, lost, report.Memory) : Remove(report, lost, force: true);
            case RegionState.Temporary:
                return new CleanResult(report.Name, report.Kind, CleanAction.Left, $"a file that process {report.CreatorPid} was making: remove it by hand when that process is gone", report.Memory);
            case RegionState.Damaged or RegionState.Foreign or RegionState.OtherVersion or RegionState.Unreadable:
                return new CleanResult(report.Name, report.Kind, CleanAction.Left, report.Damage.FirstOrDefault() ?? "", report.Memory);
            default:
                return null;
        }
    }

    private static CleanResult Remove(RegionReport report, string why, bool force)
    {
        try
        {
            if (report.Kind == "connection")
                File.Delete(report.Path); // it has no participants and no lock: its listener's slot was the judge
            else if (force)
                SharedStorage.Clear(report.Name);
            else
                SharedStorage.ClearLeftOver(report.Name);
            return File.Exists(report.Path)
                ? new CleanResult(report.Name, report.Kind, CleanAction.Left, "somebody has taken the name meanwhile, or left messages in it", report.Memory)
                : new CleanResult(report.Name, report.Kind, CleanAction.Removed, why, report.Memory);
        }
        catch (IpcException error) when (error.Status == IpcStatus.InUse)
        {
            return new CleanResult(report.Name, report.Kind, CleanAction.Left, "somebody has joined it meanwhile", report.Memory);
        }
        catch (Exception error) when (error is IpcException or IOException or UnauthorizedAccessException)
        {
            return new CleanResult(report.Name, report.Kind, CleanAction.Failed, error.Message, report.Memory);
        }
    }

    private static void Print(Terminal terminal, string directory, List<CleanResult> results, bool dryRun)
    {
        foreach (CleanResult result in results)
        {
            string action = result.Action switch
            {
                CleanAction.Removed => "removed",
                CleanAction.WouldRemove => "would remove",
                CleanAction.Failed => "could not remove",
                _ => "left alone",
            };
            terminal.Out.WriteLine(Tame.Line($"{action} {result.Kind ?? "file"} {result.Name}: {result.Reason}"));
        }

        CleanAction counted = dryRun ? CleanAction.WouldRemove : CleanAction.Removed;
        long memory = results.Where(result => result.Action == counted).Sum(static result => result.Memory);
        terminal.Out.WriteLine($"{results.Count(result => result.Action == counted)} {(dryRun ? "would be " : "")}removed from {Tame.Line(directory)}, {Human.Bytes(memory)}");
    }
}
