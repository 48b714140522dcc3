using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>How somebody waits, and what it has learned about spinning, is seen from outside its process, in either language.</summary>
public sealed class WaitsTests(Peers peers)
{
    private const uint AtFirst = 25_000, AfterAPause = 1_000;

    /// <summary>A few waits for nothing, and spinning is given up; but for the microsecond after a pause.</summary>
    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void WhatAReaderHasLearnedIsShown(Language language)
    {
        using var writer = new Opened(peers, peers.At(language, "one"), "writer", "capacity=4096 wait=block");
        using var reader = new Opened(peers, peers.At(language, "two"), "reader", "capacity=4096", name: writer.Name);
        JsonElement ring = Show(writer.Name).GetProperty("ring");
        Assert.Equal("block", ring.GetProperty("writerSpin").GetProperty("mode").GetString());
        Assert.False(ring.GetProperty("writerSpin").TryGetProperty("nanoseconds", out _));
        Assert.Equal("adaptive", ring.GetProperty("readerSpin").GetProperty("mode").GetString());
        Assert.Equal(Processors.IsSpinningUseless ? 0 : AtFirst, ring.GetProperty("readerSpin").GetProperty("nanoseconds").GetUInt32());
        if (!Processors.IsSpinningUseless)
            Assert.EndsWith("spins for 25 us before it sleeps", ToolRun.In(peers.Directory, "show", writer.Name).Line("reader"), StringComparison.Ordinal);

        WaitInVain(reader, "wait", static region => region.GetProperty("ring").GetProperty("readerSpin"));
        string[] words = ["sleeps at once, tries to spin every ", "spins for 1000 ns before it sleeps", "sleeps at once"]; // the last: with one processor
        string line = ToolRun.In(peers.Directory, "show", writer.Name).Line("reader");
        Assert.Contains(words, word => line.Contains(word, StringComparison.Ordinal));
    }

    /// <summary>Many may wait at a queue: each says it in its entry. Who takes an entry begins anew.</summary>
    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void EachOfManyReceiversIsShown(Language language)
    {
        using var spins = new Opened(peers, peers.At(language, "one"), "queue", "block=64 count=8 wait=spin");
        using (var learns = new Opened(peers, peers.At(language, "two"), "queue", "block=64 count=8", name: spins.Name))
        {
            WaitInVain(learns, "read", static region => region.GetProperty("participants")[1].GetProperty("spin"));
            JsonElement[] both = [.. Show(spins.Name).GetProperty("participants").EnumerateArray()];
            Assert.Equal(["spin", "adaptive"], both.Select(static one => one.GetProperty("spin").GetProperty("mode").GetString()));
            if (language == Language.C && !Processors.IsSpinningUseless) // nothing was sent: that is learned apart
                Assert.Equal(AtFirst, both[1].GetProperty("roomSpin").GetProperty("nanoseconds").GetUInt32());
            else
                Assert.Equal(language == Language.C, both[1].TryGetProperty("roomSpin", out _));
        }

        using var next = new Opened(peers, peers.At(language, "two"), "queue", "block=64 count=8 wait=block", name: spins.Name);
        JsonElement[] now = [.. Show(spins.Name).GetProperty("participants").EnumerateArray()];
        Assert.Equal(["spin", "block"], now.Select(static one => one.GetProperty("spin").GetProperty("mode").GetString()));
        Assert.Contains("spins, never sleeps", ToolRun.In(peers.Directory, "show", spins.Name).Out, StringComparison.Ordinal);
    }

    /// <summary>C learns apart how its waits for room go, C# does not: what C has left in an entry is gone when C# takes it.</summary>
    [Fact]
    public void NothingOfAPredecessorStaysInAnEntry()
    {
        const string Options = "block=64 count=8";
        using var first = new Opened(peers, peers.At(Language.CSharp, "one"), "queue", Options);
        using (new Opened(peers, peers.At(Language.C, "two"), "queue", Options, name: first.Name))
            Assert.True(Show(first.Name).GetProperty("participants")[1].TryGetProperty("roomSpin", out _));
        using var next = new Opened(peers, peers.At(Language.CSharp, "two"), "queue", Options, name: first.Name);
        Assert.False(Show(first.Name).GetProperty("participants")[1].TryGetProperty("roomSpin", out _));
    }

    [Theory]
    [InlineData(PeerState.Left)]
    [InlineData(PeerState.Died)]
    public void HowAnEndWaitedThatHasGoneIsNotShown(PeerState state)
    {
        using var directory = new RegionDirectory();
        RingImage ring = RegionImage.Ring();
        ring[ring.Ring + Wire.Ring.WriterState] = ring[ring.Ring + Wire.Ring.ReaderState] = (byte)state;
        ring.U64(ring.Ring + Wire.Ring.WriterSpin, 0x0002_0000_0000_0000);
        ring.U64(ring.Ring + Wire.Ring.ReaderSpin, 0x0002_0000_0000_0000);
        directory.Place("it", ring.Bytes);
        ToolRun shown = ToolRun.In(directory, "show", "it");
        Assert.Equal("writer " + state.ToString().ToLowerInvariant(), shown.Line("writer"));
        Assert.Equal("reader " + state.ToString().ToLowerInvariant(), shown.Line("reader"));
    }

    /// <summary>Hostile bytes: the number was taken for a place of the table, and who locked what would be its byte for the owner.</summary>
    [Theory]
    [InlineData(9U)] // of 8
    [InlineData(0x8000_0000U)]
    [InlineData(0xFFFF_FFFFU)]
    public void AnOwnerBeyondTheTableIsNobody(uint owner)
    {
        using var directory = new RegionDirectory();
        RingImage ring = RegionImage.Ring();
        ring[ring.Ring + Wire.Ring.WriterState] = (uint)PeerState.Live;
        ring[ring.Ring + Wire.Ring.Writer] = owner;
        ring.U64(ring.Ring + Wire.Ring.WriterSpin, 0x0002_0000_0000_0000);
        directory.Place("it", ring.Bytes);
        using FileStream hostile = File.Open(directory.FileOf("it"), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        hostile.Lock(0x4000_0000_0000_0000 + (int)owner - 1, 1);
        RegionReport report = Inspector.One(directory.Path, "it", InspectionDepth.Full)!;
        Assert.Null(report.Ring!.WriterSpin);
    }

    /// <summary>Killed, and nobody has looked after it yet: its peer is stopped.</summary>
    [Theory]
    [InlineData("writer", "capacity=4096 wait=spin")]
    [InlineData("queue", "block=64 count=8 wait=spin")]
    public void HowTheDeadWaitedIsNotShown(string kind, string options)
    {
        using var directory = new RegionDirectory();
        using Driven survivor = Driven.Start(Language.C, directory), doomed = Driven.Start(Language.CSharp, directory);
        survivor.Must($"open-{(kind == "writer" ? "reader" : kind)} 1 it {options.Replace("wait=spin", "wait=block", StringComparison.Ordinal)}");
        doomed.Must($"open-{kind} 1 it {options}");
        Assert.Contains("spins, never sleeps", ToolRun.In(directory, "show", "it").Out, StringComparison.Ordinal);
        survivor.Stop();
        doomed.Kill();
        ToolRun shown = ToolRun.In(directory, "show", "it");
        Assert.Contains("dead", shown.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("spins, never sleeps", shown.Out, StringComparison.Ordinal);
    }

    /// <summary>Anybody may have written the words: a strange number is shown, and no more.</summary>
    [Theory]
    [InlineData(0UL, null)]
    [InlineData(0xFFFF_FFFF_FFFF_FFFF, "waits in mode 255, which is none")]
    [InlineData(0x0001_FFFF_FFFF_FFFF, "spins for 4.29 s before it sleeps")]
    [InlineData(0xFF01_FFFF_0000_0000, "sleeps at once, tries to spin every 65535 waits")]
    [InlineData(0x0001_0000_0000_0000, "sleeps at once")]
    [InlineData(0x0002_1234_5678_9ABC, "spins, never sleeps")]
    [InlineData(0x0003_1234_5678_9ABC, "sleeps at once")]
    public void WhateverStandsThereIsShown(ulong word, string? text)
    {
        using var directory = new RegionDirectory();
        RingImage ring = RegionImage.Ring();
        ring.U64(ring.Ring + Wire.Ring.WriterSpin, word);
        ring.U64(ring.Ring + Wire.Ring.ReaderSpin, word);
        directory.Place("it", ring.Bytes);
        ToolRun shown = ToolRun.In(directory, "show", "it");
        Assert.Equal(ExitCode.Ok, shown.ExitCode);
        string end = text is null ? "" : ", " + text;
        Assert.Equal("writer never attached" + end, shown.Line("writer"));
        Assert.Equal("reader never attached" + end, shown.Line("reader"));
        Assert.Equal(text is not null, ToolRun.In(directory, "show", "it", "--json").Json.GetProperty("ring").TryGetProperty("writerSpin", out _));
    }

    /// <summary>Until nothing is left of its budget. Not a number of times: a wait whose time is over while it spins has learned nothing.</summary>
    private void WaitInVain(Opened who, string verb, Func<JsonElement, JsonElement> spin) => Watchdog.Until(
        () =>
        {
            Assert.Equal(IpcStatus.Timeout, who.Do(verb, "timeout=2").Status);
            return spin(Show(who.Name)).GetProperty("nanoseconds").GetUInt32() <= AfterAPause;
        },
        "a budget to be used up");

    private JsonElement Show(string name) => ToolRun.In(peers.Directory, "show", name, "--json").Json;
}
