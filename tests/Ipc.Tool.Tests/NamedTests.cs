using System;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>A named connection is listed and shown with what waits in it, and removed by its two names.</summary>
public sealed class NamedTests
{
    private const string Name = "exchange~~trader";

    [Fact]
    public void AConversationIsListedShownAndRemovedWhenNobodyIsThere()
    {
        using var directory = new RegionDirectory();
        using (Driven client = Driven.Start(Language.CSharp, directory))
        {
            client.Must("open-named 1 exchange trader");
            client.Must("named-send 1 100");
            client.Must("named-send 1 200");
            string listed = ToolRun.In(directory, "ls").Out;
            Assert.Contains(Name, listed, StringComparison.Ordinal);
            Assert.Contains("2 to server, 0 to client", listed, StringComparison.Ordinal);
            ToolRun refused = ToolRun.In(directory, "rm", Name);
            Assert.Equal(ExitCode.Problems, refused.ExitCode);
            Assert.Contains($"{client.ProcessId}", refused.Error, StringComparison.Ordinal);
        }

        string shown = ToolRun.In(directory, "show", Name).Out;
        Assert.Contains("exchange, which has not been here yet", shown, StringComparison.Ordinal);
        Assert.Contains("0 by the server, 0 by the client", shown, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "clean").ExitCode); // it is kept
        ToolRun removed = ToolRun.In(directory, "rm", Name);
        Assert.Equal((ExitCode.Ok, $"removed named {Name}, with 2 unread messages\n"), (removed.ExitCode, removed.Out));
        Assert.Empty(Directory.EnumerateFileSystemEntries(directory.Path).Select(Path.GetFileName));
    }
}
