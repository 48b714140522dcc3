using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// tests/storm.sh in its short form: real processes of both languages, killed or stopped at random instructions
/// under content-checked traffic. The last line counts; the exit code is the verdict.
/// </summary>
public sealed class StormProgramTests
{
    private static readonly string _kills = Switches.LongRuns ? "1000" : Switches.FullRuns ? "40" : "20";

    [Theory]
    [InlineData("queue")]
    [InlineData("topic")]
    [InlineData("ring")]
    [InlineData("lock")]
    [InlineData("named")]
    [InlineData("tcp")]
    public void NothingIsLostRepeatedOrLeftBehindWhenProcessesAreKilled(string kind) =>
        Run("storm.sh", "kills ", "--kind", kind, "--kills", _kills);

    /// <summary>For a while nobody is alive: what was acknowledged comes all the same, to whoever opens next.</summary>
    [Theory]
    [InlineData("queue")]
    [InlineData("ring")]
    public void NothingIsLostWhenAllProcessesAreKilledAtOnce(string kind) =>
        Run("storm.sh", "kills ", "--kind", kind, "--everybody", "--kills", _kills);

    [Theory]
    [InlineData("queue")]
    [InlineData("topic")]
    [InlineData("ring")]
    [InlineData("lock")]
    public void NothingIsTakenFromTheLivingWhenProcessesAreStopped(string kind) =>
        Run("storm.sh", "stops ", ["--kind", kind, "--stop", .. Switches.LongRuns ? (string[])["--kills", "150", "--longest", "2000"] : ["--kills", "20"]]);

    /// <summary>Lossy and evict readers of both languages: with every message, exactly as many lost as there are places between it and the one before.</summary>
    [Fact]
    public void ReadersThatWritersDoNotWaitForAreToldExactlyHowManyTheyMiss() =>
        Run("storm.sh", "stops ", "--kind", "topic", "--exact", "--kills", Switches.LongRuns ? "600" : "25");

    /// <summary>Runs a script of tests/ to its good end, and says what it said.</summary>
    internal static void Run(string script, string lastLine, params string[] arguments)
    {
        var start = new ProcessStartInfo(Path.Combine(PeerPrograms.Top, "tests", script), arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        using var storm = Process.Start(start)!;
        System.Threading.Tasks.Task<string> errors = storm.StandardError.ReadToEndAsync();
        string output = storm.StandardOutput.ReadToEnd(); // it ends by itself: it is stuck for half a minute at most
        storm.WaitForExit();
        TestContext.Current.SendDiagnosticMessage(output);
        Assert.True(storm.ExitCode == 0, output + errors.Result);
        Assert.StartsWith(lastLine, output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Last(), StringComparison.Ordinal);
    }
}
