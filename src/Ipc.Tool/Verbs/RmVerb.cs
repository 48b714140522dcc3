using System.CommandLine;
using System.IO;

namespace Ipc.Tool;

/// <summary><c>ipc rm NAME</c>: removes what has that name, with what is in it.</summary>
/// <remarks>Decided under the region's lock, as all else that ends a region. What processes use is removed only by force: they go on with memory that nobody can
/// find any more, and whoever opens the name afterwards makes a new region.</remarks>
internal static class RmVerb
{
    public static Command Create(Terminal terminal)
    {
        Argument<string> name = CommonOptions.RegionName("What to remove.");
        var force = new Option<bool>("--force", "-f")
        {
            Description = "Also while processes use it (they go on by themselves, and whoever opens the name next gets a new region), and what is damaged or not a region.",
        };
        var command = new Command("rm", "Removes a region by name, persistent or with unread messages; refuses while processes use it.") { name, force };
        command.SetAction(parsed =>
        {
            RegionReport report = CommonOptions.Look(parsed, parsed.GetRequiredValue(name), InspectionDepth.Full);
            Remove(report, parsed.GetValue(force));
            terminal.Out.WriteLine(Tame.Line($"removed {report.Kind ?? "file"} {report.Name}{What(report)}"));
            return ExitCode.Ok;
        });
        return command;
    }

    private static void Remove(RegionReport report, bool force)
    {
        bool isSound = report.State is RegionState.Live or RegionState.Idle or RegionState.LeftOver or RegionState.Retired && RegionNames.IsPossible(report.Name);
        if (isSound && report.Kind != "connection")
        {
            if (!SharedStorage.Remove(report.Name, evenIfUsed: force) && report.State != RegionState.Retired)
                throw new ToolException(ExitCode.NotFound, $"\"{report.Name}\" was gone before it could be removed.");
            return;
        }

        if (!force)
        {
            throw new ToolException(ExitCode.Unusable, report.Kind == "connection"
                ? $"\"{report.Name}\" is a connection: it goes with its client or its server. --force removes the file."
                : $"\"{report.Name}\" is {Styles.Name(report.State)}: {(report.Damage.Count > 0 ? report.Damage[0] : "no region can have this name")}. --force removes the file.");
        }

        File.Delete(report.Path); // a name only: who has it open keeps the memory
    }

    private static string What(RegionReport report)
    {
        string unread = report.Unread > 0 ? $", with {report.Unread} unread messages" : "";
        return report.Alive > 0 ? $"{unread}; {report.Alive} participants go on with memory that nobody else can find" : unread;
    }
}
