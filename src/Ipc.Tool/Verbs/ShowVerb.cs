using System;
using System.CommandLine;

namespace Ipc.Tool;

/// <summary><c>ipc show NAME</c>: all of one region.</summary>
internal static class ShowVerb
{
    public static Command Create(Terminal terminal)
    {
        Argument<string> name = CommonOptions.RegionName("The region.");
        Option<bool> json = CommonOptions.Json();
        var command = new Command("show", "Shows every field of a region decoded, who holds what, and since when.") { name, json };
        command.SetAction(parsed =>
        {
            (string directory, string file, string prefix) = CommonOptions.PlaceOf(parsed, parsed.GetRequiredValue(name));
            RegionReport report = LiveConnections.One(directory, file, InspectionDepth.Full, prefix)
                ?? CommonOptions.Look(parsed, parsed.GetRequiredValue(name), InspectionDepth.Full);
            if (parsed.GetValue(json))
                Json.Write(terminal.Out, report);
            else
                RegionPage.Print(terminal, report, DateTime.UtcNow);
            return report.State switch
            {
                RegionState.Damaged or RegionState.Foreign or RegionState.OtherVersion => ExitCode.Unusable,
                RegionState.Unreadable => ExitCode.Denied,
                _ => ExitCode.Ok,
            };
        });
        return command;
    }
}
