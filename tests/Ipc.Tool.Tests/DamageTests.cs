using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>Whatever stands in the directory: clear words and an exit code, never a crash; and nothing is changed by looking.</summary>
public sealed class DamageTests(Peers peers)
{
    private static readonly ulong[] s_interesting =
    [
        0, 1, 2, 3, 5, 63, 64, 128, 4095, 4096, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1_0000_0000, 0x8000_0000_0000_0000,
        0x8000_0000_FFFF_FFFF, 0xC000_0000_FFFF_FFF8, 0xFFFF_FFFF_FFFF_F000, 0xFFFF_FFFF_FFFF_FFFF, 0x5555_5555_5555_5555,
    ];

    private static string Vectors => Path.Combine(PeerPrograms.Top, "tests", "vectors", "regions");

    [Theory]
    [InlineData("ring", 1)]
    [InlineData("ring-loan", 2)]
    [InlineData("queue", 3)]
    [InlineData("queue-grown", 4)]
    [InlineData("topic", 5)]
    [InlineData("listener", 6)]
    [InlineData("connection", 7)]
    public void AnyWordMayBeAnything(string golden, int seed)
    {
        using var directory = new RegionDirectory();
        byte[] good = File.ReadAllBytes(Path.Combine(Vectors, golden + ".region"));
        var random = new Random(seed);
        for (int round = 0; round < 400; round++)
        {
            byte[] bytes = (byte[])good.Clone();
            for (int change = random.Next(1, 4); change > 0; change--)
            {
                int at = random.Next(4) == 0 ? random.Next(bytes.Length / 8) * 8 : random.Next(Math.Min(bytes.Length, 6144) / 4 - 1) * 4;
                BitConverter.TryWriteBytes(bytes.AsSpan(at), s_interesting[random.Next(s_interesting.Length)]);
            }

            directory.Place("it", bytes);
            RegionReport? report = Inspector.One(directory.Path, "it", InspectionDepth.Full);
            Assert.NotNull(report);
            if (round % 20 != 0)
                continue;
            ToolRun shown = ToolRun.In(directory, "show", "it");
            Assert.Contains(shown.ExitCode, new[] { ExitCode.Ok, ExitCode.Unusable });
            Assert.Contains(ToolRun.In(directory, "ls", "--interval", "0").ExitCode, new[] { ExitCode.Ok, ExitCode.Problems });
            Assert.Equal(bytes, directory.Read("it"));
        }
    }

    [Theory]
    [InlineData("ring")]
    [InlineData("queue")]
    [InlineData("topic")]
    public void AnyLengthMayBeMissing(string golden)
    {
        using var directory = new RegionDirectory();
        byte[] good = File.ReadAllBytes(Path.Combine(Vectors, golden + ".region"));
        foreach (int length in new[] { 0, 1, 7, 8, 511, 1023, 1024, 4095, 4096, good.Length - 4096, good.Length - 1 })
        {
            directory.Place("it", good.AsSpan()[..length]);
            Assert.Equal(ExitCode.Unusable, ToolRun.In(directory, "show", "it").ExitCode);
            Assert.Equal(length < 8 ? "foreign" : "damaged", ToolRun.In(directory, "show", "it", "--json").Json.GetProperty("state").GetString());
        }
    }

    /// <summary>It came as a number, for whose field the README promises a text.</summary>
    [Theory]
    [InlineData(2, "until-empty", "until empty")]
    [InlineData(0, "unknown (0)", "unknown (0)")]
    [InlineData(0xFFFF_0002, "unknown (4294901762)", "unknown (4294901762)")]
    public void ALifetimeIsATextWhateverItIs(uint lifetime, string json, string text)
    {
        using var directory = new RegionDirectory();
        byte[] bytes = File.ReadAllBytes(Path.Combine(Vectors, "ring.region"));
        BitConverter.TryWriteBytes(bytes.AsSpan(Wire.Region.Lifetime), lifetime);
        directory.Place("it", bytes);
        Assert.Equal(json, ToolRun.In(directory, "show", "it", "--json").Json.GetProperty("lifetime").GetString());
        Assert.Equal(json, ToolRun.In(directory, "ls", "--json", "--interval", "0").Named("it").GetProperty("lifetime").GetString());
        Assert.Matches("(?m)^ *lifetime +" + Regex.Escape(text), ToolRun.In(directory, "show", "it").Out);
    }

    [Fact]
    public void WhatIsNoRegionIsSaidToBeNone()
    {
        using var directory = new RegionDirectory();
        directory.Place("text", "hello, world"u8);
        File.CreateSymbolicLink(directory.FileOf("link"), "/etc/passwd");
        Directory.CreateDirectory(directory.FileOf("folder"));
        directory.Place("empty", []);
        RingImage version = RegionImage.Ring();
        version.U16(Wire.Region.Major, 2);
        directory.Place("newer", version.Bytes);

        ToolRun list = ToolRun.In(directory, "ls", "--json", "--interval", "0");
        Assert.Equal(ExitCode.Ok, list.ExitCode); // others' files are no damage
        Assert.Equal(["empty:foreign", "folder:foreign", "link:foreign", "newer:other-version", "text:foreign"],
            list.Json.EnumerateArray().Select(static one => one.GetProperty("name").GetString() + ":" + one.GetProperty("state").GetString()));
        ToolRun shown = ToolRun.In(directory, "show", "text");
        Assert.Equal(ExitCode.Unusable, shown.ExitCode);
        Assert.Contains("starts with 68656C6C6F2C2077: not a region", shown.Out, StringComparison.Ordinal);
        Assert.Contains("layout version 2.0; this tool reads 1.0", ToolRun.In(directory, "show", "newer").Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("no-such-region", ExitCode.NotFound, "there is no \"no-such-region\" in ")]
    [InlineData("../etc/passwd", ExitCode.Usage, "is no region's name")]
    [InlineData("", ExitCode.Usage, "is no region's name")]
    public void WhatIsNotThereIsSaidNotToBe(string name, int code, string text)
    {
        ToolRun run = ToolRun.In(peers.Directory, "show", name);
        Assert.Equal(code, run.ExitCode);
        Assert.Contains(text, run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Out);
    }

    [Fact]
    public void WrongUsageIsExplained()
    {
        Assert.Equal(ExitCode.Usage, ToolRun.In(peers.Directory, "frobnicate").ExitCode);
        Assert.Equal(ExitCode.Usage, ToolRun.In(peers.Directory, "show").ExitCode);
        Assert.Equal(ExitCode.Usage, ToolRun.In(peers.Directory, "ls", "--interval", "-1").ExitCode);
        Assert.Equal(ExitCode.Usage, ToolRun.In(peers.Directory, "ls", "--kind", "file").ExitCode);
        Assert.Contains("Try 'ipc show --help'.", ToolRun.In(peers.Directory, "show").Error, StringComparison.Ordinal);
    }

    [Fact]
    public void LookingAtALiveQueueWithHolesChangesNothing()
    {
        using var queue = new Opened(peers, peers.At(Language.C, "one"), "queue", "block=4096 count=64 expansions=7 budget=1048576");
        queue.Must("write", "1 20 1");
        byte[] before = peers.Directory.Read(queue.Name);
        long memory = peers.Directory.BlocksOf(queue.Name);
        ToolRun run = ToolRun.In(peers.Directory, "show", queue.Name, "--json");
        Assert.Equal(memory, run.Json.GetProperty("memory").GetInt64());
        Assert.True(run.Json.GetProperty("size").GetInt64() > 4 * memory);
        Assert.Equal(memory, peers.Directory.BlocksOf(queue.Name));
        Assert.Equal(before, peers.Directory.Read(queue.Name));
        Assert.Single(run.Json.GetProperty("participants").EnumerateArray());
    }
}
