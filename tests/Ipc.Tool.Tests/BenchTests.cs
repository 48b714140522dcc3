using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

public sealed class BenchTests
{
    [Fact]
    public void EveryFigureIsThereAndNothingIsLeftBehind()
    {
        using var directory = new RegionDirectory();
        ToolRun run = ToolRun.In(directory, "bench", "--seconds", "0.05", "--json");
        Assert.True(run.ExitCode == ExitCode.Ok, run.Out + run.Error);
        Assert.Equal(["limit", "ring", "call", "ring", "queue", "topic"], run.Json.EnumerateArray().Select(static one => one.GetProperty("name").GetString()!.Split(':')[0]));
        Assert.All(run.Json.EnumerateArray(), static one => Assert.True(one.GetProperty("nanoseconds").GetDouble() > 0));
        Assert.Empty(Directory.GetFiles(directory.Path));
    }
}
