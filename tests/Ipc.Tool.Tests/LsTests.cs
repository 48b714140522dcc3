using System.IO;
using System.Linq;
using System.Text.Json;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>ls and show against regions of both languages that live.</summary>
public sealed class LsTests(Peers peers)
{
    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void ARingIsListedWithItsDepthAndItsEnds(Language language)
    {
        using var writer = new Opened(peers, peers.At(language, "one"), "writer", "capacity=4096");
        using var reader = new Opened(peers, peers.At(language, "two"), "reader", "capacity=4096", name: writer.Name);
        for (int i = 0; i < 3; i++)
            writer.Must("write", $"{i} 100 7");

        JsonElement region = ToolRun.In(peers.Directory, "ls", "--json", "--interval", "0").Named(writer.Name);
        Assert.Equal("ring", region.GetProperty("kind").GetString());
        Assert.Equal("live", region.GetProperty("state").GetString());
        Assert.Equal(2, region.GetProperty("alive").GetInt32());
        Assert.Equal(3, region.GetProperty("depth").GetInt32());
        Assert.Equal(3 * 128, region.GetProperty("ring").GetProperty("used").GetInt32());

        ToolRun shown = ToolRun.In(peers.Directory, "show", writer.Name);
        Assert.Equal(ExitCode.Ok, shown.ExitCode);
        Assert.Equal("not released 3 records, 384 B", shown.Line("not released"));
        Assert.StartsWith($"0 {writer.Peer.ProcessId} {ProcessName(writer.Peer)} alive writer {(language == Language.C ? "C" : "C#")} ", shown.Line($"0 {writer.Peer.ProcessId}"), System.StringComparison.Ordinal);

        reader.Must("read", "timeout=60000");
        reader.Must("release");
        Assert.Equal($"{writer.Name} ring live", string.Join(' ', ToolRun.In(peers.Directory, "ls", "--interval", "0").Line(writer.Name).Split(' ')[..3]));
        Assert.Equal(2, ToolRun.In(peers.Directory, "show", writer.Name, "--json").Json.GetProperty("depth").GetInt32());
    }

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void AQueueSaysWhoHoldsWhat(Language language)
    {
        using var queue = new Opened(peers, peers.At(language, "one"), "queue", "block=64 count=8");
        for (int i = 0; i < 4; i++)
            queue.Must("write", $"{i} 20 {i}");
        queue.Must("read", "timeout=60000");
        queue.Must("claim", "30");

        JsonElement region = ToolRun.In(peers.Directory, "show", queue.Name, "--json").Json;
        Assert.Equal(3, region.GetProperty("depth").GetInt32());
        Assert.Equal(1, region.GetProperty("queue").GetProperty("reading").GetInt32());
        Assert.Equal(1, region.GetProperty("queue").GetProperty("writing").GetInt32());
        Assert.Equal(5, region.GetProperty("queue").GetProperty("sent").GetInt32());
        string[] held = [.. region.GetProperty("holdings").EnumerateArray().Select(static one => one.GetProperty("what").GetString()!)];
        Assert.Equal(["reads slot 0.0 (20 bytes)", "writes slot 0.4"], held);
        Assert.All(region.GetProperty("holdings").EnumerateArray(), one => Assert.Equal(queue.Peer.ProcessId, one.GetProperty("pid").GetInt32()));

        queue.Must("abandon");
        queue.Must("release");
        for (int i = 0; i < 3; i++) // what nobody has received would keep the queue
        {
            queue.Must("read", "timeout=60000");
            queue.Must("release");
        }

        queue.Dispose();
        Assert.False(peers.Directory.Has(queue.Name));
    }

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void ATopicSaysHowFarEachReaderIsBehind(Language language)
    {
        using var writer = new Opened(peers, peers.At(language, "one"), "publisher", "block=64 count=16");
        using var reader = new Opened(peers, peers.At(language, "one"), "subscriber", "block=64 count=16 policy=lossy", name: writer.Name);
        for (int i = 0; i < 5; i++)
            writer.Must("write", $"{i} 20 {i} 0");

        JsonElement topic = ToolRun.In(peers.Directory, "show", writer.Name, "--json").Json.GetProperty("topic");
        Assert.Equal(5, topic.GetProperty("written").GetInt32());
        JsonElement one = Assert.Single(topic.GetProperty("readers").EnumerateArray());
        Assert.Equal("lossy", one.GetProperty("policy").GetString());
        Assert.Equal(5, one.GetProperty("behind").GetInt32());
        Assert.Contains("5 behind of 16", ToolRun.In(peers.Directory, "ls", "--interval", "0").Line(writer.Name), System.StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Language.C, Language.CSharp)]
    [InlineData(Language.CSharp, Language.C)]
    public void AListenerSaysWhoIsConnected(Language serverLanguage, Language clientLanguage)
    {
        string name = peers.NewName("listener");
        Driven server = peers.At(serverLanguage, "one"), client = peers.At(clientLanguage, "two");
        int listener = peers.NewId(), connection = peers.NewId();
        server.Must($"listen {listener} {name}");
        client.Begin($"connect {connection} {name} timeout=60000");
        Answer asked = server.Must($"next {listener} timeout=60000");
        server.Must($"accept {asked["connection"]}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);

        ToolRun shown = ToolRun.In(peers.Directory, "show", name, "--json");
        JsonElement slot = Assert.Single(shown.Json.GetProperty("listener").GetProperty("slots").EnumerateArray());
        Assert.Equal("attached", slot.GetProperty("state").GetString());
        Assert.Equal(client.ProcessId, slot.GetProperty("pid").GetInt32());
        Assert.Equal("open", shown.Json.GetProperty("listener").GetProperty("server").GetString());
        Assert.Contains("1 client", ToolRun.In(peers.Directory, "ls", "--interval", "0").Line(name), System.StringComparison.Ordinal);
        client.Must($"close {connection}");
        server.Must($"close {listener}");
    }

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void LocksSayWhoHasThem(Language language)
    {
        string name = peers.NewName("lock");
        Driven peer = peers.At(language, "one");
        int mutex = peers.NewId(), semaphore = peers.NewId(), signal = peers.NewId();
        peer.Must($"open-mutex {mutex} {name}-m");
        peer.Must($"open-semaphore {semaphore} {name}-s permits=3");
        peer.Must($"open-event {signal} {name}-e manual=1 set=1");
        peer.Must($"acquire {mutex} timeout=60000");
        peer.Must($"acquire {semaphore} timeout=60000");

        ToolRun list = ToolRun.In(peers.Directory, "ls", "--interval", "0");
        Assert.Contains(" held", list.Line(name + "-m"), System.StringComparison.Ordinal);
        Assert.Contains(" 1 of 3 held", list.Line(name + "-s"), System.StringComparison.Ordinal);
        Assert.EndsWith(" set", list.Line(name + "-e"), System.StringComparison.Ordinal);
        Assert.Equal($"0 {peer.ProcessId} owns the mutex", ToolRun.In(peers.Directory, "show", name + "-m").Lines.Last(static line => line.Length > 0));
        Assert.Equal(["mutex"], ToolRun.In(peers.Directory, "ls", "--json", "--interval", "0", "--kind", "mutex").Json.EnumerateArray()
            .Select(static one => one.GetProperty("kind").GetString()).Distinct());
        foreach (int id in new[] { mutex, semaphore, signal })
            peer.Must($"close {id}");
    }

    [Fact]
    public void AStoppedProcessIsAliveAndSaidToBeStopped()
    {
        string name = peers.NewName("stopped");
        using Driven peer = peers.New(Language.C);
        peer.Must($"open-mutex 1 {name}");
        peer.Stop();
        JsonElement report = ToolRun.In(peers.Directory, "show", name, "--json").Json;
        Assert.Equal("live", report.GetProperty("state").GetString());
        Assert.True(report.GetProperty("participants")[0].GetProperty("stopped").GetBoolean());
        peer.Kill();
        Assert.Equal("left-over", ToolRun.In(peers.Directory, "show", name, "--json").Json.GetProperty("state").GetString());
        File.Delete(peers.Directory.FileOf(name));
    }

    [Fact]
    public void RatesAreMessagesPerSecondBetweenTwoLooks()
    {
        using var writer = new Opened(peers, peers.At(Language.CSharp, "one"), "publisher", "block=64 count=64");
        RegionReport before = Inspector.One(peers.Directory.Path, writer.Name, InspectionDepth.Quick)!;
        for (int i = 0; i < 10; i++)
            writer.Must("write", $"{i} 20 {i} 0");
        RegionReport after = Inspector.One(peers.Directory.Path, writer.Name, InspectionDepth.Quick)!;
        Rates.Apply([before], [after]);
        Assert.Equal("messages", after.Rate!.Unit);
        Assert.True(after.Rate.In > 0);
        Assert.Equal(10UL, after.Counters!.In - before.Counters!.In);
    }

    private static string ProcessName(Driven peer) => File.ReadAllText($"/proc/{peer.ProcessId}/comm").Trim();
}
