using System.IO;
using System.Linq;
using System.Text.Json;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

public sealed class DoctorTests(Peers peers)
{
    [Fact]
    public void AllChecksPassAndTwoProcessesEcho()
    {
        using var directory = new RegionDirectory();
        ToolRun run = ToolRun.In(directory, "doctor", "--json");
        string[] checks = [.. run.Json.EnumerateArray().Select(static one => one.GetProperty("check").GetString()!)];
        foreach (string check in new[] { "versions", "directory", "file system", "space", "files and locks", "regions", "futex", "membarrier", "pidfd", "two processes" })
            Assert.Contains(check, checks);
        Assert.DoesNotContain(run.Json.EnumerateArray(), static one => one.GetProperty("verdict").GetString() == "problem");
        Assert.Equal(ExitCode.Ok, run.ExitCode);
        Assert.Contains("2000 messages of 64 bytes there and back", Check(run, "two processes").GetProperty("text").GetString(), System.StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(directory.Path));
    }

    [Fact]
    public void ADamagedRegionIsAProblemWithARemedy()
    {
        using var directory = new RegionDirectory();
        directory.Place("broken", File.ReadAllBytes(Path.Combine(PeerPrograms.Top, "tests", "vectors", "regions", "ring.region")).Take(6000).ToArray());
        ToolRun run = ToolRun.In(directory, "doctor");
        Assert.Equal(ExitCode.Problems, run.ExitCode);
        Assert.Contains($"-> end the programs that use it and remove {directory.FileOf("broken")}", run.Out, System.StringComparison.Ordinal);
        Assert.EndsWith("1 problem, 0 warnings\n", run.Out, System.StringComparison.Ordinal);
    }

    [Fact]
    public void ADirectoryThatCannotBeMadeIsAProblemWithARemedy()
    {
        ToolRun run = ToolRun.With("", peers.Directory.FileOf("no/such/folder"), "doctor", "--json");
        Assert.Equal(ExitCode.Problems, run.ExitCode);
        Assert.Equal("problem", Check(run, "directory").GetProperty("verdict").GetString());
        Assert.Contains("IPC_DIR", Check(run, "directory").GetProperty("remedy").GetString(), System.StringComparison.Ordinal);
        Assert.Equal("not tried", Check(run, "two processes").GetProperty("text").GetString());
    }

    private static JsonElement Check(ToolRun run, string check) => run.Json.EnumerateArray().Single(one => one.GetProperty("check").GetString() == check);
}
