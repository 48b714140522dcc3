using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>clean removes what the dead have left: not one file more.</summary>
public sealed class CleanTests(Peers peers)
{
    [Fact]
    public void OnlyWhatIsDeadIsRemovedAndADryRunRemovesNothing()
    {
        using var directory = new RegionDirectory();
        using Driven live = Driven.Start(Language.CSharp, directory), doomed = Driven.Start(Language.C, directory), doomedToo = Driven.Start(Language.CSharp, directory);
        live.Must("open-queue 1 live-queue");
        live.Must("listen 2 live-listener");
        live.Must("open-writer 3 shared-ring");
        doomed.Must("open-reader 1 shared-ring");
        doomed.Must("open-queue 2 dead-queue");
        doomed.Must("open-publisher 3 dead-topic");
        doomed.Must("open-queue 4 kept lifetime=persistent");
        doomedToo.Must("listen 1 dead-listener");
        doomedToo.Must("open-mutex 2 dead-mutex");
        doomedToo.Must("acquire 2 timeout=60000");
        doomedToo.Must("open-event 4 dead-event");
        doomed.Kill();
        doomedToo.Kill();
        directory.Place("foreign", "not a region"u8);
        directory.Place("cut", File.ReadAllBytes(Path.Combine(PeerPrograms.Top, "tests", "vectors", "regions", "queue.region")).AsSpan()[..5000]);
        directory.Place("dead-listener~0123456789abcdef", RegionImage.Connection(0x0123456789abcdef, 1).Bytes);
        directory.Place("live-listener~0123456789abcdef", RegionImage.Connection(0x0123456789abcdef, 1).Bytes);
        string[] all = Names(directory);
        string[] dead = ["dead-event", "dead-listener", "dead-listener~0123456789abcdef", "dead-mutex", "dead-queue", "dead-topic", "live-listener~0123456789abcdef"];

        ToolRun dry = ToolRun.In(directory, "clean", "--dry-run", "--json");
        Assert.Equal(dead, Names(dry, "would-remove"));
        Assert.Equal(["cut", "foreign"], Names(dry, "left"));
        Assert.Equal(all, Names(directory));

        ToolRun run = ToolRun.In(directory, "clean");
        Assert.Equal(ExitCode.Ok, run.ExitCode);
        Assert.Equal(all.Except(dead), Names(directory));
        Assert.Contains("removed queue dead-queue: nobody who lives uses it", run.Out, System.StringComparison.Ordinal);
        Assert.Contains("left alone file foreign: starts with 6E6F74206120726", run.Out, System.StringComparison.Ordinal);
        Assert.Contains("7 removed from ", run.Out, System.StringComparison.Ordinal);

        live.Must("write 1 1 20 1");
        live.Must("read 1 timeout=60000");
        Assert.Equal("live", ToolRun.In(directory, "show", "live-queue", "--json").Json.GetProperty("state").GetString());
        Assert.StartsWith("0 removed", ToolRun.In(directory, "clean").Out.Split('\n')[^2], System.StringComparison.Ordinal);
    }

    [Fact]
    public void AConnectionOnItsWayStaysAndOneOfADeadClientGoes()
    {
        using var directory = new RegionDirectory();
        using Driven server = Driven.Start(Language.C, directory), client = Driven.Start(Language.CSharp, directory);
        server.Must("listen 1 service");
        server.Stop(); // nobody takes the connection: it keeps its name
        client.Begin("connect 1 service timeout=60000");
        Watchdog.Until(() => Names(directory).Length == 2, "the client to make its connection");
        string connection = Names(directory).Single(static name => name.Contains('~'));
        Watchdog.Until(() => ToolRun.In(directory, "show", connection, "--json").Json.GetProperty("state").GetString() == "live", "the client to ask");
        Assert.StartsWith("0 removed", ToolRun.In(directory, "clean").Out, System.StringComparison.Ordinal);
        Assert.True(directory.Has(connection));

        client.Kill();
        Assert.Equal([connection], Names(ToolRun.In(directory, "clean", "-n", "--json"), "would-remove"));
        ToolRun.In(directory, "clean");
        Assert.Equal(["service"], Names(directory));
        server.Continue();
    }

    [Fact]
    public void ARetiredRegionIsRemoved()
    {
        string name = peers.NewName("retired");
        RingImage image = RegionImage.Ring();
        image[Wire.Region.State] = Wire.Region.StateRetired;
        peers.Directory.Place(name, image.Bytes);
        Assert.Equal("retired", ToolRun.In(peers.Directory, "show", name, "--json").Json.GetProperty("state").GetString());
        ToolRun.In(peers.Directory, "clean");
        Assert.False(peers.Directory.Has(name));
    }

    private static string[] Names(RegionDirectory directory) =>
        [.. Directory.GetFiles(directory.Path).Select(static file => Path.GetFileName(file)).Order(System.StringComparer.Ordinal)];

    private static string[] Names(ToolRun run, string action) => [.. run.Json.EnumerateArray()
        .Where(one => one.GetProperty("action").GetString() == action).Select(static one => one.GetProperty("name").GetString()!)];
}
