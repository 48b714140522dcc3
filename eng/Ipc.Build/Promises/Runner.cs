using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ipc.Build.Results;
using Ipc.Testing.Drive;

namespace Ipc.Build.Promises;

/// <summary>
/// Runs what promises name. What they need of one project runs in one process, and so do the native tests below one ctest, each below a watchdog: a hang is a broken promise,
/// too. A line that was not seen to pass there runs in a process of its own.
/// </summary>
internal sealed class Runner(string? given) : IDisposable
{
    private const int LimitOfOne = 300;
    private const int LimitOfAll = 900;

    private static readonly Dictionary<string, string> Environment = new() { ["IPC_NATIVE_BUILD"] = PeerPrograms.NativeBuild };

    private readonly DirectoryInfo _work = Directory.CreateTempSubdirectory("ipc-promises-");
    private readonly Dictionary<string, IReadOnlyList<TestResult>> _seen = [];

    /// <summary>What its programs said.</summary>
    public StreamWriter Log { get; } = File.CreateText(Path.Combine(Directory.CreateDirectory(Path.Combine(PeerPrograms.Top, "build", "logs")).FullName, "promises.log"));

    /// <summary>Everything at once. Nothing runs of which there are results.</summary>
    public void RunAll(IEnumerable<Check> checks)
    {
        foreach (IGrouping<string, Check> group in checks.Where(static check => check.Kind != "run").GroupBy(static check => check.Results))
        {
            string had = Path.Combine(given ?? "", $"{group.Key}.xml");
            _seen[group.Key] = given != null && File.Exists(had) ? ResultFile.Read(had).Tests : Run(LimitOfAll, [.. group.Distinct()]) ?? [];
        }
    }

    public bool HasPassed(Check check) => _seen.TryGetValue(check.Results, out IReadOnlyList<TestResult>? seen) && check.IsShownBy(seen);

    /// <summary>In a process of its own, where a busy machine may have been in the way: a broken promise is broken there, too. A line that matches no test checks nothing.</summary>
    public bool HoldsAlone(Check check)
    {
        Log.WriteLine($"== alone: {check}");
        return check.Kind == "run"
            ? Say(Command.Run(LimitOfOne, PeerPrograms.Top, Environment, "bash", "-c", check.What)) == 0
            : Run(LimitOfOne, [check]) is { } results && check.IsShownBy(results);
    }

    public void Dispose()
    {
        Log.Dispose();
        _work.Delete(recursive: true);
    }

    /// <summary>The checks of one project, or of CTest. Null when it ended badly, whatever it had said until then.</summary>
    private IReadOnlyList<TestResult>? Run(int seconds, Check[] checks)
    {
        string results = Path.Combine(_work.FullName, "results.xml"), project = checks[0].Project;
        File.Delete(results);
        string[] words = checks[0].Kind == "c"
            ? ["ctest", "--test-dir", PeerPrograms.NativeBuild, "--output-on-failure", "--no-tests=error", "--output-junit", results, "-R", $"^({string.Join('|', checks.Select(static check => check.What))})$"]
            : [PeerPrograms.Dotnet, $"tests/{project}/bin/Release/net10.0/{project}.dll", "-noLogo", "-noColor", "-xml", results,
                .. checks.SelectMany(static check => new[] { "-method", $"*{check.What}" })];
        int? code = Say(Command.Run(seconds, PeerPrograms.Top, Environment, words));
        if (!File.Exists(results))
            return null;
        IReadOnlyList<TestResult> tests = ResultFile.Read(results).Tests;
        return code == 0 || tests.Any(static test => test.Outcome == Outcome.Failed) ? tests : null;
    }

    private int? Say((int? Code, string Said) end)
    {
        Log.WriteLine(end.Said);
        return end.Code;
    }
}
