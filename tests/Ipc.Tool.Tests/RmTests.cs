using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>rm and clean --force remove what they are told to, with what is in it, and nothing that processes use; exit codes say which it was.</summary>
public sealed class RmTests
{
    private static byte[] Vector(string name) => File.ReadAllBytes(Path.Combine(PeerPrograms.Top, "tests", "vectors", "regions", name + ".region"));

    [Theory]
    [InlineData(Language.C, "while-used", 0)]
    [InlineData(Language.CSharp, "while-used", 0)]
    [InlineData(Language.C, "until-empty", 2)]
    [InlineData(Language.CSharp, "until-empty", 2)]
    [InlineData(Language.C, "persistent", 2)]
    [InlineData(Language.CSharp, "persistent", 0)]
    public void WhatNobodyUsesIsRemovedWhateverItsLifetime(Language language, string lifetime, int messages)
    {
        using var directory = new RegionDirectory();
        using (Driven doomed = Driven.Start(language, directory))
        {
            doomed.Must($"open-queue 1 it lifetime={lifetime}");
            for (int i = 0; i < messages; i++)
                doomed.Must($"write 1 {i} 20 {i}");
            doomed.Kill();
        }

        ToolRun run = ToolRun.In(directory, "rm", "it");
        Assert.Equal((ExitCode.Ok, ""), (run.ExitCode, run.Error));
        Assert.Equal(messages == 0 ? "removed queue it\n" : $"removed queue it, with {messages} unread messages\n", run.Out);
        Assert.Empty(Names(directory));
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "rm", "it").ExitCode);
    }

    [Theory]
    [InlineData("open-queue 1 it", "queue")]
    [InlineData("open-writer 1 it", "ring")]
    [InlineData("open-publisher 1 it", "topic")]
    [InlineData("open-mutex 1 it", "mutex")]
    [InlineData("open-semaphore 1 it permits=3", "semaphore")]
    [InlineData("open-event 1 it", "event")]
    [InlineData("listen 1 it", "listener")]
    public void WhatIsInUseIsRefusedAndTakenByForceOnly(string opened, string kind)
    {
        using var directory = new RegionDirectory();
        using Driven user = Driven.Start(Language.CSharp, directory);
        user.Must(opened);
        ToolRun refused = ToolRun.In(directory, "rm", "it");
        Assert.Equal((ExitCode.Problems, ""), (refused.ExitCode, refused.Out));
        Assert.Contains($"{user.ProcessId}", refused.Error, StringComparison.Ordinal); // says who
        Assert.Equal(["it"], Names(directory));

        ToolRun forced = ToolRun.In(directory, "rm", "it", "--force");
        Assert.Equal((ExitCode.Ok, $"removed {kind} it; 1 participants go on with memory that nobody else can find\n"), (forced.ExitCode, forced.Out));
        Assert.Empty(Names(directory));
        user.Must("close 1");
        Assert.Empty(Names(directory));
    }

    [Theory]
    [InlineData(Language.C, Language.CSharp)]
    [InlineData(Language.CSharp, Language.C)]
    public void WhoseRegionWasTakenByForceGoesOnAndTheNextOneMakesANewOne(Language first, Language second)
    {
        using var directory = new RegionDirectory();
        using Driven old = Driven.Start(first, directory), young = Driven.Start(second, directory);
        old.Must("open-queue 1 it");
        old.Must("write 1 1 20 1");
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "rm", "it", "-f").ExitCode);

        young.Must("open-queue 1 it");
        Assert.Equal(IpcStatus.Timeout, young.Do("read 1 timeout=0").Status); // another region, without the message
        old.Must("write 1 2 20 2");
        old.Must("read 1 timeout=60000");
        old.Must("release 1");
        old.Must("read 1 timeout=60000");
        old.Must("release 1");
        old.Must("close 1"); // and its end takes nothing from the new one
        Assert.Equal(["it"], Names(directory));
        young.Must("write 1 3 20 3");
        young.Must("read 1 timeout=60000");
        young.Must("release 1");
        young.Must("close 1");
    }

    [Theory]
    [InlineData("nothing", ExitCode.NotFound)]
    [InlineData("", ExitCode.Usage)]
    [InlineData(".", ExitCode.Usage)]
    [InlineData("..", ExitCode.Usage)]
    [InlineData("../outside", ExitCode.Usage)]
    [InlineData("/tmp", ExitCode.Usage)]
    [InlineData("inside/it", ExitCode.Usage)]
    public void WhatHasNoSuchNameOrIsAPathIsNotRemoved(string name, int code)
    {
        using var parent = new RegionDirectory();
        string directory = Directory.CreateDirectory(parent.FileOf("regions")).FullName;
        Directory.CreateDirectory(Path.Combine(directory, "inside"));
        parent.Place("outside", RegionImage.Ring().Bytes);
        File.WriteAllBytes(Path.Combine(directory, "inside", "it"), RegionImage.Ring().Bytes);
        foreach (string[] force in new[] { Array.Empty<string>(), ["--force"] })
        {
            ToolRun run = ToolRun.With("", directory, ["rm", name, .. force]);
            Assert.Equal((code, ""), (run.ExitCode, run.Out));
            Assert.NotEmpty(run.Error);
        }

        Assert.True(parent.Has("outside") && File.Exists(Path.Combine(directory, "inside", "it")));
    }

    [Theory]
    [InlineData("foreign")]
    [InlineData("empty")]
    [InlineData("cut")]
    [InlineData("version")]
    [InlineData("service~0123456789abcdef")]
    [InlineData("~tmp.1.0123456789abcdef")]
    [InlineData("bad\u001b[31m\nname")] // a sound region, under a name that none can have
    public void WhatIsNoSoundRegionIsRemovedByForceOnly(string name)
    {
        using var directory = new RegionDirectory();
        byte[] other = Vector("queue");
        other[8] ^= 0x7F; // the major version
        directory.Place(name, name switch
        {
            "foreign" => "not a region"u8,
            "empty" => [],
            "cut" => Vector("queue").AsSpan(0, 5000),
            "version" => other,
            ['s', ..] => RegionImage.Connection(0x0123456789abcdef, 1).Bytes,
            _ => RegionImage.Ring().Bytes,
        });
        ToolRun refused = ToolRun.In(directory, "rm", name);
        Assert.Equal((ExitCode.Unusable, ""), (refused.ExitCode, refused.Out));
        Assert.Contains("--force", refused.Error, StringComparison.Ordinal);
        Assert.Equal([name], Names(directory));

        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "rm", name, "--force").ExitCode);
        Assert.Empty(Names(directory));
    }

    [Fact]
    public void OfALinkTheLinkIsRemovedAndNotWhatItNames()
    {
        using var parent = new RegionDirectory();
        string directory = Directory.CreateDirectory(parent.FileOf("regions"), UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute).FullName;
        parent.Place("outside", RegionImage.Ring().Bytes);
        string link = Path.Combine(directory, "it"), dangling = Path.Combine(directory, "dangling");
        File.CreateSymbolicLink(link, parent.FileOf("outside"));
        File.CreateSymbolicLink(dangling, parent.FileOf("nothing"));
        foreach (string name in new[] { "it", "dangling" })
        {
            Assert.Equal(ExitCode.Unusable, ToolRun.With("", directory, "rm", name).ExitCode);
            Assert.Equal(ExitCode.Ok, ToolRun.With("", directory, "rm", name, "--force").ExitCode);
        }

        Assert.Empty(Directory.GetFileSystemEntries(directory));
        Assert.True(parent.Has("outside"));
    }

    [Fact]
    public void AFolderOrAPipeOfThatNameIsLookedAtWithoutWaitingAndAFolderStays()
    {
        using var directory = new RegionDirectory();
        Directory.CreateDirectory(directory.FileOf("folder"));
        using (Process make = Process.Start("mkfifo", [directory.FileOf("pipe")]))
            make.WaitForExit();
        Assert.Equal(ExitCode.Unusable, ToolRun.In(directory, "rm", "folder").ExitCode);
        Assert.Equal(ExitCode.Denied, ToolRun.In(directory, "rm", "folder", "--force").ExitCode);
        Assert.Equal(ExitCode.Unusable, ToolRun.In(directory, "rm", "pipe").ExitCode);
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "rm", "pipe", "--force").ExitCode);
        Assert.Equal(["folder"], Directory.GetFileSystemEntries(directory.Path).Select(Path.GetFileName));
    }

    [Fact]
    public void AStoppedProcessUsesItsRegionsStill()
    {
        using var directory = new RegionDirectory();
        using Driven user = Driven.Start(Language.C, directory);
        user.Must("open-queue 1 it");
        user.Stop();
        Assert.Equal(ExitCode.Problems, ToolRun.In(directory, "rm", "it").ExitCode);
        Assert.StartsWith("0 removed", ToolRun.In(directory, "clean", "--force").Out, StringComparison.Ordinal);
        user.Continue();
        user.Must("write 1 1 20 1");
        Assert.Equal(["it"], Names(directory));
    }

    /// <summary>clean --force: what nobody has open and only unread messages keep; neither what lives nor what is persistent, nor what cannot be judged.</summary>
    [Fact]
    public void CleaningByForceTakesUnreadMessagesAndNothingElse()
    {
        using var directory = new RegionDirectory();
        using Driven live = Driven.Start(Language.CSharp, directory), doomed = Driven.Start(Language.C, directory);
        live.Must("open-queue 1 live");
        live.Must("write 1 1 20 1");
        foreach ((int id, string name, string what) in new[] { (1, "queue", "queue"), (2, "ring", "writer"), (3, "kept", "queue"), (4, "empty", "queue") })
        {
            doomed.Must($"open-{what} {id} {name}{(name == "kept" ? " lifetime=persistent" : "")}");
            if (name != "empty")
                doomed.Must($"write {id} 1 20 1");
        }

        doomed.Kill();
        directory.Place("foreign", "not a region"u8);
        directory.Place("cut", Vector("queue").AsSpan(0, 5000));
        directory.Place("bad\nname", RegionImage.Ring(persistent: false).Bytes);
        string[] all = Names(directory);

        ToolRun dry = ToolRun.In(directory, "clean", "--force", "--dry-run", "--json");
        Assert.Equal(["empty", "queue", "ring"], Names(dry, "would-remove"));
        Assert.Equal(all, Names(directory));
        Assert.Equal(["empty"], Names(ToolRun.In(directory, "clean", "--dry-run", "--json"), "would-remove"));

        ToolRun run = ToolRun.In(directory, "clean", "--force");
        Assert.Equal(ExitCode.Ok, run.ExitCode);
        Assert.Contains("removed queue queue: nobody who lives uses it; 1 unread messages went with it", run.Out, StringComparison.Ordinal);
        Assert.Equal(["bad\nname", "cut", "foreign", "kept", "live"], Names(directory));
        Assert.StartsWith("0 removed", ToolRun.In(directory, "clean", "--force").Out.TrimEnd().Split('\n')[^1], StringComparison.Ordinal);
        live.Must("read 1 timeout=60000");
        Assert.Equal(1, ToolRun.In(directory, "show", "kept", "--json").Json.GetProperty("unread").GetInt32());
    }

    /// <summary>Between the look and the removal somebody may join: the lock decides, not the look.</summary>
    [Fact]
    public async Task WhatIsOpenedMeanwhileStays()
    {
        using var directory = new RegionDirectory();
        using Driven user = Driven.Start(Language.CSharp, directory);
        string[] opened = new string[40];
        for (int i = 0; i < opened.Length; i++)
        {
            directory.Place($"it-{i:00}", RegionImage.Ring(persistent: false).Bytes);
            opened[i] = $"open-writer {i + 1} it-{i:00} lifetime=while-used";
        }

        Task<ToolRun> cleaning = Task.Run(() => ToolRun.In(directory, "clean"), TestContext.Current.CancellationToken);
        foreach (string one in opened.Reverse())
            user.Must(one);
        Assert.Equal(ExitCode.Ok, (await cleaning).ExitCode);
        for (int i = 0; i < opened.Length; i++)
        {
            Assert.Equal("live", ToolRun.In(directory, "show", $"it-{i:00}", "--json").Json.GetProperty("state").GetString());
            user.Must($"close {i + 1}");
        }
    }

    /// <summary>Nobody has used Ipc yet: that is no mistake. A directory that was named and is not there is one.</summary>
    [Theory]
    [InlineData("ls")]
    [InlineData("ls", "--json")]
    [InlineData("top", "-n", "1", "-d", "0.01")]
    [InlineData("top", "-n", "1", "-d", "0.01", "--json")]
    [InlineData("clean")]
    [InlineData("clean", "--force", "--json")]
    [InlineData("show", "it")]
    [InlineData("tail", "it")]
    [InlineData("rm", "it")]
    public void ADirectoryThatIsNamedAndNotThereIsSaidToBeMissing(params string[] arguments)
    {
        using var parent = new RegionDirectory();
        parent.Place("file", "no directory"u8);
        foreach (string name in new[] { "missing", "file" })
        {
            ToolRun run = ToolRun.With("", parent.FileOf(name), arguments);
            Assert.Equal((ExitCode.NotFound, ""), (run.ExitCode, run.Out));
            Assert.Contains($"no directory {parent.FileOf(name)}", run.Error, StringComparison.Ordinal);
        }

        Assert.False(Directory.Exists(parent.FileOf("missing"))); // looking makes nothing
        Assert.Equal(ExitCode.Ok, ToolRun.With("", parent.Path, "ls").ExitCode);
    }

    private static string[] Names(RegionDirectory directory) =>
        [.. Directory.GetFiles(directory.Path).Select(static file => Path.GetFileName(file)).Order(StringComparer.Ordinal)];

    private static string[] Names(ToolRun run, string action) => [.. run.Json.EnumerateArray()
        .Where(one => one.GetProperty("action").GetString() == action).Select(static one => one.GetProperty("name").GetString()!)];
}
