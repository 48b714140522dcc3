using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>Regions where the users of the machine meet: the tool names them as programs do. In processes of their own, for the directory is one of the environment.</summary>
public sealed class MachineTests
{
    [Fact]
    public async Task RegionsOfTheMachineAreListedShownAndRemovedByTheirNames()
    {
        using var directory = new RegionDirectory();
        using Driven user = Driven.Start(Language.CSharp, directory);
        Assert.Contains("not there yet", (await RunAsync(directory, "doctor")).Lines.Single(static line => line.Contains("where users meet", StringComparison.Ordinal)), StringComparison.Ordinal);
        user.Must("open-queue 1 machine/it");
        user.Must("write 1 1 20 1");
        user.Must("open-queue 2 own lifetime=persistent");
        user.Must("listen 3 machine/calls protocol=1.1.1");
        ToolRun list = await RunAsync(directory, "ls", "--interval", "0");
        Assert.StartsWith("machine/it queue live until empty ", list.Line("machine/it"), StringComparison.Ordinal);
        Assert.Contains(" calls, 0 clients", list.Line("machine/calls"), StringComparison.Ordinal);
        Assert.StartsWith("own queue live ", list.Line("own"), StringComparison.Ordinal);
        Assert.DoesNotContain("machine/", (await RunAsync(directory, "ls", "--dir", directory.Path)).Out, StringComparison.Ordinal);
        Assert.Contains("machine/it", (await RunAsync(directory, "top", "-n", "1", "-d", "0.01")).Out, StringComparison.Ordinal);

        ToolRun shown = await RunAsync(directory, "show", "machine/it", "--json");
        Assert.Equal(("machine/it", 1), (shown.Json.GetProperty("name").GetString(), shown.Json.GetProperty("unread").GetInt64()));
        Assert.Contains("of user ", (await RunAsync(directory, "doctor")).Lines.Single(static line => line.Contains("where users meet", StringComparison.Ordinal)), StringComparison.Ordinal);

        ToolRun used = await RunAsync(directory, "rm", "machine/it");
        Assert.Equal((ExitCode.Problems, ""), (used.ExitCode, used.Out));
        user.Kill();
        Assert.Contains("removed listener machine/calls: nobody who lives uses it", (await RunAsync(directory, "clean")).Out, StringComparison.Ordinal);
        ToolRun removed = await RunAsync(directory, "rm", "machine/it");
        Assert.Equal((ExitCode.Ok, "removed queue machine/it, with 1 unread messages\n"), (removed.ExitCode, removed.Out));
        Assert.Empty(Directory.EnumerateFiles(directory.FileOf("machine")));
        Assert.Equal(ExitCode.NotFound, (await RunAsync(directory, "show", "machine/it")).ExitCode);
        foreach (string path in new[] { "machine/../own", "machine/", "machine/.." })
            Assert.Equal(ExitCode.Usage, (await RunAsync(directory, "rm", path, "--force")).ExitCode);
        Assert.Equal(ExitCode.NotFound, (await RunAsync(directory, "show", "machine/it", "--dir", directory.Path)).ExitCode);
        Assert.True(directory.Has("own"));
    }

    private static async Task<ToolRun> RunAsync(RegionDirectory directory, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet") { RedirectStandardError = true, RedirectStandardOutput = true };
        foreach (string argument in (string[])["exec", Path.Combine(AppContext.BaseDirectory, "ipc.dll"), .. arguments])
            start.ArgumentList.Add(argument);
        start.Environment["IPC_DIR"] = directory.Path;
        start.Environment["IPC_MACHINE_DIR"] = directory.FileOf("machine");
        using Process tool = Process.Start(start)!;
        Task<string> output = tool.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        Task<string> error = tool.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await tool.WaitForExitAsync(TestContext.Current.CancellationToken).WaitAsync(Watchdog.Patience, TestContext.Current.CancellationToken);
        return new ToolRun(tool.ExitCode, await output, await error);
    }
}
