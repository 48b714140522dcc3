using System;
using System.IO;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Tool.Tests;

public sealed class CompletionTests
{
    [Theory]
    [InlineData("bash", "complete -F _ipc ipc")]
    [InlineData("zsh", "compdef _ipc ipc")]
    [InlineData("fish", "complete -f -c ipc")]
    [InlineData("pwsh", "Register-ArgumentCompleter -Native -CommandName ipc")]
    public void EachShellHasItsScript(string shell, string text)
    {
        using var directory = new RegionDirectory();
        ToolRun run = ToolRun.In(directory, "completion", shell);
        Assert.Equal(ExitCode.Ok, run.ExitCode);
        Assert.Contains(text, run.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task NamesOfRegionsAreCompletedAndThoseOfOtherFilesAreNot()
    {
        using var directory = new RegionDirectory();
        directory.Place("orders", RegionImage.Ring(persistent: true).Bytes);
        directory.Place("ordinary-file", "text"u8);
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        Environment.SetEnvironmentVariable("IPC_DIR", directory.Path);
        try
        {
            using var output = new StringWriter();
            var terminal = new Terminal(output, output, TextReader.Null, isInteractive: false);
            Assert.Equal(0, await ToolCommand.RunAsync(["[suggest:12]", "ipc show ord"], terminal));
            Assert.Equal("orders\n", output.ToString());
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
        }
    }
}
