using System;
using System.CommandLine;
using System.CommandLine.Completions;
using System.Globalization;
using System.Linq;

namespace Ipc.Tool;

/// <summary>Options and arguments that several verbs have.</summary>
internal static class CommonOptions
{
    public static readonly Option<string?> Directory = new("--dir")
    {
        Description = "The directory of the regions, if it is not that of IPC_DIR or this user's.",
        HelpName = "DIR",
        Recursive = true,
    };

    public static Option<bool> Json() => new("--json") { Description = "Print JSON for scripts instead of a table for people." };

    /// <summary>A region, completed by those that are there; a name that no region can have is left out, for a shell would take it as it is.</summary>
    public static Argument<string> RegionName(string description, params string[] kinds)
    {
        var argument = new Argument<string>("NAME") { Description = description, HelpName = "NAME" };
        argument.CompletionSources.Add(context => Inspector.All(DirectoryOf(context.ParseResult), InspectionDepth.Quick)
            .Where(report => RegionNames.IsPossible(report.Name) && report.State is RegionState.Live or RegionState.Idle && (kinds.Length == 0 || kinds.Contains(report.Kind)))
            .Select(static report => new CompletionItem(report.Name)));
        return argument;
    }

    /// <summary>Refuses a number that makes no sense for an option.</summary>
    public static void Require(Option<double> option, Func<double, bool> isSense, string otherwise) => option.Validators.Add(result =>
    {
        try
        {
            if (!isSense(result.GetValueOrDefault<double>()))
                result.AddError(otherwise);
        }
        catch (InvalidOperationException)
        {
            result.AddError(otherwise); // not a number at all
        }
    });

    /// <summary>Where the regions are. Nothing is made, and nothing refused: looking needs neither.</summary>
    public static string DirectoryOf(ParseResult parsed)
    {
        _ = Os.Current; // says in words where there is no Ipc
        string? given = parsed.GetValue(Directory);
        if (!string.IsNullOrEmpty(given))
        {
            Environment.SetEnvironmentVariable("IPC_DIR", given); // for what opens regions in earnest, and for processes that are started
            return given;
        }

        string? set = Environment.GetEnvironmentVariable("IPC_DIR");
        return !string.IsNullOrEmpty(set) ? set : "/dev/shm/ipc-" + LinuxNative.geteuid().ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>Where the users of this machine meet, if it is there; null where one directory was named: then that one is meant.</summary>
    public static string? MachineOf(ParseResult parsed)
    {
        if (!string.IsNullOrEmpty(parsed.GetValue(Directory)))
            return null;
        string? set = Environment.GetEnvironmentVariable("IPC_MACHINE_DIR");
        string directory = string.IsNullOrEmpty(set) ? "/dev/shm/ipc-machine" : System.IO.Path.GetFullPath(set);
        return System.IO.Directory.Exists(directory) ? directory : null;
    }

    /// <summary>Both.</summary>
    public static (string Directory, string? Machine) PlacesOf(ParseResult parsed) => (ExistingDirectoryOf(parsed), MachineOf(parsed));

    /// <summary>Where what programs call <paramref name="name"/> lies, and what its file is called there.</summary>
    public static (string Directory, string File, string Prefix) PlaceOf(ParseResult parsed, string name)
    {
        string directory = ExistingDirectoryOf(parsed), file = name, prefix = "";
        if (RegionNames.IsOfMachine(name))
        {
            directory = MachineOf(parsed) ?? throw new ToolException(
                ExitCode.NotFound, string.IsNullOrEmpty(parsed.GetValue(Directory)) ? "no program on this machine has used a name of the machine yet." : "--dir names one directory, and a name of the machine lies in another.");
            (file, prefix) = (name[RegionNames.OfMachine.Length..], RegionNames.OfMachine);
        }

        if (file.Length == 0 || file.Contains('/', StringComparison.Ordinal) || file is "." or "..")
            throw new ToolException(ExitCode.Usage, $"\"{name}\" is no region's name: it holds no path.");
        return (directory, file, prefix);
    }

    /// <summary>The same for those who have nothing to say of a directory that is not there. This user's own may be missing, as nobody has used it yet; one that was
    /// named was meant to be another.</summary>
    public static string ExistingDirectoryOf(ParseResult parsed)
    {
        string directory = DirectoryOf(parsed);
        if (!System.IO.Directory.Exists(directory) && !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("IPC_DIR")))
            throw new ToolException(ExitCode.NotFound, $"there is no directory {directory}, which {(string.IsNullOrEmpty(parsed.GetValue(Directory)) ? "IPC_DIR" : "--dir")} names.");
        return directory;
    }

    /// <summary>Looks at one region, or ends the verb with what is wrong.</summary>
    public static RegionReport Look(ParseResult parsed, string name, InspectionDepth depth)
    {
        (string directory, string file, string prefix) = PlaceOf(parsed, name);
        return Inspector.One(directory, file, depth, prefix) ?? throw new ToolException(ExitCode.NotFound, $"there is no \"{name}\" in {directory}; 'ipc ls' lists what there is.");
    }

    /// <summary>Ends the verb unless the region can be read as what it says it is.</summary>
    public static void RequireSound(RegionReport report)
    {
        if (report.Damage.Count > 0)
            throw new ToolException(report.State == RegionState.Unreadable ? ExitCode.Denied : ExitCode.Unusable, $"{report.Path}: {report.Damage[0]}");
    }
}
