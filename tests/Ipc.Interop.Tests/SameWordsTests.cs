using System;
using System.IO;
using System.Text;
using System.Text.RegularExpressions;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>The same failure has the same text in C and C#, so that a search for it finds the same page.</summary>
/// <remarks>
/// Two things may differ: the first letter and the full stop, as C's text may be put into a sentence; and the names of
/// constants.
/// </remarks>
public sealed partial class SameWordsTests(Peers peers)
{
    private const string Long = "0123456789-0123456789-0123456789-0123456789";

    /// <summary>
    /// Runs a failing command in both languages, after those of another process, in C#. <c>NAME</c> is replaced by a
    /// name of the test's own; <c>;</c> separates commands.
    /// </summary>
    [Theory]
    [InlineData("open-queue 1 NAME open=existing", "")]
    [InlineData("open-writer 1 NAME open=existing", "")]
    [InlineData("open-subscriber 1 NAME open=existing", "")]
    [InlineData("open-event 1 NAME open=existing", "")]
    [InlineData("connect 1 NAME", "")]
    [InlineData("connect 1 NAME steps=1", "")]
    [InlineData("open-queue 1 NAME open=create", "open-queue 1 NAME")]
    [InlineData("open-queue 1 NAME open=create", "open-queue 1 NAME lifetime=persistent; close 1")]
    [InlineData("open-queue 1 NAME open=create", "open-queue 1 NAME; write 1 1 8 1; close 1")]
    [InlineData("open-writer 1 NAME", "open-writer 1 NAME")]
    [InlineData("open-reader 1 NAME", "open-reader 1 NAME")]
    [InlineData("listen 1 NAME", "listen 1 NAME")]
    [InlineData("open-queue 1 NAME", "open-event 1 NAME")]
    [InlineData("open-event 1 NAME", "open-queue 1 NAME")]
    [InlineData("connect 1 NAME", "open-queue 1 NAME")]
    [InlineData("open-queue 1 NAME lifetime=persistent", "open-queue 1 NAME lifetime=while-used")]
    [InlineData("open-queue 1 NAME", "open-queue 1 NAME participants=1")]
    [InlineData("open-publisher 1 NAME", "open-publisher 1 NAME single=1")]
    [InlineData("open-publisher 1 NAME", "open-publisher 1 NAME writers=1")]
    [InlineData("open-subscriber 1 NAME", "open-subscriber 1 NAME readers=1")]
    [InlineData("open-mutex 1 NAME lifetime=until-empty", "")]
    [InlineData("open-queue 1 .NAME", "")]
    [InlineData("open-queue 1 NAME/NAME", "")]
    [InlineData("open-queue 1 NAME-" + Long + Long + Long, "")]
    [InlineData("open-writer 1 NAME capacity=1000", "")]
    [InlineData("open-queue 1 NAME budget=999999999999", "")]
    [InlineData("open-queue 1 NAME block=4", "")]
    [InlineData("open-queue 1 NAME count=1", "")]
    [InlineData("open-queue 1 NAME expansions=300", "")]
    [InlineData("open-queue 1 NAME participants=5000", "")]
    [InlineData("open-queue 1 NAME count=16 distance=16", "")]
    [InlineData("open-publisher 1 NAME block=4", "")]
    [InlineData("open-publisher 1 NAME count=1", "")]
    [InlineData("open-publisher 1 NAME readers=5000", "")]
    [InlineData("open-publisher 1 NAME writers=5000", "")]
    [InlineData("listen 1 NAME max=20000", "")]
    [InlineData("open-writer 1 NAME capacity=4096 budget=0; write 1 1 5000 1", "")]
    [InlineData("open-queue 1 NAME block=64 budget=none; write 1 1 5000 1", "")]
    [InlineData("open-publisher 1 NAME block=64 budget=none; write 1 1 5000 1", "")]
    [InlineData("open-mutex 1 NAME; release 1", "")]
    [InlineData("open-semaphore 1 NAME; release 1", "")]
    public void OfEveryFailure(string failing, string before)
    {
        string name = peers.NewName("words");
        using Driven holder = peers.New(Language.CSharp);
        foreach (string command in before.Split("; ", StringSplitOptions.RemoveEmptyEntries))
            holder.Must(command.Replace("NAME", name, StringComparison.Ordinal));
        Answer c = Failure(Language.C, failing.Replace("NAME", name, StringComparison.Ordinal));
        Answer cSharp = Failure(Language.CSharp, failing.Replace("NAME", name, StringComparison.Ordinal));
        Assert.Equal((c.Status, Common(c.Text)), (cSharp.Status, Common(cSharp.Text)));
        Assert.NotEmpty(c.Text);
    }

    /// <summary>The file there is not a region.</summary>
    [Theory]
    [InlineData("hello", 5)]
    [InlineData("hello, world", 8192)]
    public void OfAForeignFile(string begins, int length)
    {
        string name = peers.NewName("words"), path = peers.Directory.FileOf(name);
        byte[] bytes = new byte[length];
        Encoding.ASCII.GetBytes(begins, bytes);
        File.WriteAllBytes(path, bytes);
        try
        {
            Answer c = Failure(Language.C, $"open-queue 1 {name}");
            Answer cSharp = Failure(Language.CSharp, $"open-queue 1 {name}");
            Assert.Equal((c.Status, Common(c.Text)), (cSharp.Status, Common(cSharp.Text)));
        }
        finally
        {
            File.Delete(path);
        }
    }

    private Answer Failure(Language language, string commands)
    {
        using Driven peer = peers.New(language);
        string[] each = commands.Split("; ");
        foreach (string command in each[..^1])
            peer.Must(command);
        return peer.Do(each[^1]);
    }

    private static string Common(string text)
    {
        string common = Constant().Replace(
            text, static found => found.Groups[1].Value.Replace("_", "", StringComparison.Ordinal));
        return common.TrimEnd('.').ToLowerInvariant();
    }

    /// <summary>C's <c>IPC_LIFETIME_WHILE_USED (1)</c> is C#'s <c>WhileUsed</c>.</summary>
    [GeneratedRegex(@"IPC_LIFETIME_([A-Z_]+)(?: \(\d\))?")]
    private static partial Regex Constant();
}
