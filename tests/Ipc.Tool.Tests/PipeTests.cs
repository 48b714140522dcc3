using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>Output into a pipe whose reader goes: the tool ends, too, at once and quietly.</summary>
public sealed class PipeTests
{
    [Theory]
    [InlineData("ls")]
    [InlineData("show it")]
    [InlineData("--help")]
    [InlineData("tail it -f")]
    [InlineData("receive it -f")]
    [InlineData("receive it --timeout 600")]
    [InlineData("top --interval 0.05 --json")]
    [InlineData("top --interval 0.05")]
    public async Task NothingIsWrittenForNobody(string arguments)
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = SendTests.Create(directory, "queue", "it");
        Assert.Equal(ExitCode.Ok, ToolRun.With("1\n2\n3\n", directory.Path, "send", "it").ExitCode);
        Assert.Equal($"{ExitCode.OutputClosed}\n", await PipedAsync(directory, arguments, "true"));
        Assert.Equal(3, Inspector.One(directory.Path, "it", InspectionDepth.Quick)!.Depth); // what nobody saw was not taken
    }

    /// <summary>What has nothing to print does not notice by printing.</summary>
    [Theory]
    [InlineData("tail it -f")]
    [InlineData("receive it -f")]
    public async Task WhoWaitsForMessagesNoticesToo(string arguments)
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = SendTests.Create(directory, "queue", "it");
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "send", "it", "one").ExitCode);
        Assert.Equal($"{ExitCode.OutputClosed}\n", await PipedAsync(directory, arguments, "head -n 1"));
    }

    [Fact]
    public async Task AReaderWhoStaysGetsAll()
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = SendTests.Create(directory, "queue", "it");
        Assert.Equal($"{ExitCode.Ok}\n", await PipedAsync(directory, "ls --json", "cat"));
        Assert.Equal($"{ExitCode.Ok}\n", await PipedAsync(directory, "send it text", "cat"));
        Assert.Equal($"{ExitCode.Usage}\n", await PipedAsync(directory, "receive it --unknown", "true")); // errors have their own output
    }

    /// <summary>The exit code of the tool, with what it said of it.</summary>
    private static async Task<string> PipedAsync(RegionDirectory directory, string arguments, string reader)
    {
        var start = new ProcessStartInfo("sh") { RedirectStandardError = true, RedirectStandardOutput = true };
        foreach (string argument in new[] { "-c", $"{{ dotnet exec \"$0\" {arguments} 2>/dev/null; echo $? >&2; }} | {reader}", Path.Combine(AppContext.BaseDirectory, "ipc.dll") })
            start.ArgumentList.Add(argument);
        start.Environment["IPC_DIR"] = directory.Path;
        using Process shell = Process.Start(start)!;
        Task<string> code = shell.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        _ = shell.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        try
        {
            return await code.WaitAsync(Watchdog.Patience, TestContext.Current.CancellationToken);
        }
        finally
        {
            shell.Kill(entireProcessTree: true);
        }
    }
}
