using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>tail and top: what passes is seen, and nobody notices.</summary>
public sealed class TailTests(Peers peers)
{
    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void ARingsRecordsAreShownAndStayForTheReader(Language language)
    {
        using var writer = new Opened(peers, peers.At(language, "one"), "writer", "capacity=4096 budget=65536");
        for (int i = 0; i < 3; i++)
            writer.Must("write", $"{i} {20 + i} {7 + i}");
        writer.Must("write", "5 9000 10");

        ToolRun run = ToolRun.In(peers.Directory, "tail", writer.Name, "--json", "--format", "hex");
        JsonElement[] lines = Lines(run);
        Assert.Equal([7, 8, 9, 10], lines.Select(static line => line.GetProperty("type").GetInt32()));
        Assert.Equal([20, 21, 22, 9000], lines.Select(static line => line.GetProperty("length").GetInt32()));
        for (int i = 0; i < 3; i++)
            Assert.Equal(Pattern(i, 20 + i), lines[i].GetProperty("hex").GetString());
        Assert.Equal(Pattern(5, 9000), lines[3].GetProperty("hex").GetString());
        Assert.Equal([9, 10], Lines(ToolRun.In(peers.Directory, "tail", writer.Name, "--json", "-n", "2")).Select(static line => line.GetProperty("type").GetInt32()));
        Assert.Equal(["0 type 7 20 B", "0000 00 03 06 09 0c 0f 12 15 18 1b 1e 21 24 27 2a 2d ...........!$'*-"],
            ToolRun.In(peers.Directory, "tail", writer.Name).Out.Split('\n')[..2].Select(static line => string.Join(' ', line.Split(' ', StringSplitOptions.RemoveEmptyEntries))));

        using var reader = new Opened(peers, peers.At(language, "one"), "reader", name: writer.Name);
        reader.Must("read", "timeout=60000");
        reader.Must("release");
        Assert.Equal(3, ToolRun.In(peers.Directory, "show", writer.Name, "--json").Json.GetProperty("depth").GetInt32());
    }

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void ATopicsMessagesAreShownWithTheirKeys(Language language)
    {
        using var writer = new Opened(peers, peers.At(language, "one"), "publisher", "block=64 count=16");
        for (int i = 0; i < 20; i++)
            writer.Must("write", $"{i} 24 {i} key={100 + i}");
        JsonElement[] lines = Lines(ToolRun.In(peers.Directory, "tail", writer.Name, "--json", "-n", "-1", "--format", "hex"));
        Assert.Equal(19, lines[^1].GetProperty("type").GetInt32());
        Assert.Equal(119, lines[^1].GetProperty("key").GetInt32());
        Assert.Equal(Pattern(19, 24), lines[^1].GetProperty("hex").GetString());
        Assert.Equal(Enumerable.Range(20 - lines.Length, lines.Length), lines.Select(static line => line.GetProperty("type").GetInt32()));
        Assert.Equal(15, lines.Length); // a lap less one: the oldest may be overwritten at any moment
    }

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void AQueuesMessagesAreShownWhileTheyWaitAndArriveAllTheSame(Language language)
    {
        using var queue = new Opened(peers, peers.At(language, "one"), "queue", "block=64 count=4 expansions=3 budget=65536");
        for (int i = 0; i < 10; i++)
            queue.Must("write", $"{i} {(i == 9 ? 3000 : 20)} {i}");
        JsonElement[] lines = Lines(ToolRun.In(peers.Directory, "tail", queue.Name, "--json", "--format", "hex"));
        Assert.Equal(Enumerable.Range(0, 10), lines.Select(static line => line.GetProperty("type").GetInt32()).Order());
        Assert.Equal(Pattern(9, 3000), lines.Single(static line => line.GetProperty("type").GetInt32() == 9).GetProperty("hex").GetString());
        queue.Must("read", "timeout=60000");
        queue.Must("release");
        Assert.Equal(9, ToolRun.In(peers.Directory, "show", queue.Name, "--json").Json.GetProperty("depth").GetInt32());
    }

    [Fact]
    public async Task FollowingShowsWhatComesAndEndsWithTheRegion()
    {
        using var writer = new Opened(peers, peers.At(Language.C, "one"), "publisher", "block=64 count=1024");
        writer.Must("write", "0 20 0 0");
        using var output = new StringWriter();
        TextWriter seen = TextWriter.Synchronized(output);
        var terminal = new Terminal(seen, TextWriter.Null, TextReader.Null, isInteractive: false);
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        string Seen()
        {
            lock (seen) // which is what its own methods do
                return output.ToString();
        }

        Task<int> run = Task.Run(() => ToolCommand.RunAsync(["tail", writer.Name, "-f", "--json", "--dir", peers.Directory.Path], terminal), TestContext.Current.CancellationToken);
        Watchdog.Until(() => Seen().Contains("\"type\":0", StringComparison.Ordinal), "the first message");
        for (int i = 1; i < 50; i++)
            writer.Must("write", $"{i} 20 {i} 0");
        writer.Dispose();
        Assert.Equal(ExitCode.Ok, await run.WaitAsync(Watchdog.Patience, TestContext.Current.CancellationToken));
        Environment.SetEnvironmentVariable("IPC_DIR", before);
        Assert.Equal(50, Seen().TrimEnd().Split('\n').Length);
    }

    [Fact]
    public void AMessageIsDecodedByAContract()
    {
        using var directory = new RegionDirectory();
        byte[] payload = JsonToProto.Encode(ContractLoader.Load([Proto]).FindMessage("FailRequest"), """{"status": 5, "text": "so"}""");
        directory.Place("it", RegionImage.Ring().Add(payload, 3).Bytes);
        Assert.Equal("""0  type 3  6 B  {"status":5,"text":"so"}""", ToolRun.In(directory, "tail", "it", "-c", Proto, "-m", "FailRequest").Out.TrimEnd());
        Assert.Equal("so", Lines(ToolRun.In(directory, "tail", "it", "--json", "-c", Proto, "-m", "tests.v1.FailRequest"))[0].GetProperty("message").GetProperty("text").GetString());
        Assert.Equal(ExitCode.Usage, ToolRun.In(directory, "tail", "it", "-m", "FailRequest").ExitCode);
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "tail", "it", "-c", Proto, "-m", "Nothing").ExitCode);
    }

    [Fact]
    public void TextIsShownAsTextAndControlCharactersAreTamed()
    {
        using var directory = new RegionDirectory();
        directory.Place("it", RegionImage.Ring().Add("hello\u001b[31m"u8, 0).Add("line\nline"u8, 0).Bytes);
        Assert.Equal(["0  type 0  10 B", "64  type 0  9 B  line.line"], ToolRun.In(directory, "tail", "it").Out.Split('\n').Where(static line => line.Contains("type", StringComparison.Ordinal)));
        Assert.DoesNotContain('\u001b', ToolRun.In(directory, "tail", "it", "--format", "text").Out);
    }

    [Fact]
    public void WhatHasNoMessagesIsRefusedInWords()
    {
        using var directory = new RegionDirectory();
        directory.Place("service", RegionImage.Listener().Bytes);
        directory.Place("cut", RegionImage.Ring().Bytes.AsSpan()[..5000]);
        Assert.Contains("is a listener", ToolRun.In(directory, "tail", "service").Error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Unusable, ToolRun.In(directory, "tail", "service").ExitCode);
        Assert.Equal(ExitCode.Unusable, ToolRun.In(directory, "tail", "cut").ExitCode);
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "tail", "nothing").ExitCode);
    }

    [Theory]
    [InlineData("ring", 11)]
    [InlineData("ring-loan", 12)]
    [InlineData("queue", 13)]
    [InlineData("queue-grown", 14)]
    [InlineData("topic", 15)]
    public void AnyWordMayBeAnything(string golden, int seed)
    {
        using var directory = new RegionDirectory();
        byte[] good = File.ReadAllBytes(Path.Combine(PeerPrograms.Top, "tests", "vectors", "regions", golden + ".region"));
        var random = new Random(seed);
        for (int round = 0; round < 150; round++)
        {
            byte[] bytes = (byte[])good.Clone();
            for (int change = random.Next(1, 4); change > 0; change--)
                BitConverter.TryWriteBytes(bytes.AsSpan(random.Next(bytes.Length / 8) * 8), random.Next(3) == 0 ? (ulong)random.NextInt64() : (ulong)random.Next(0, 9) << random.Next(64));
            directory.Place("it", bytes);
            Assert.Contains(ToolRun.In(directory, "tail", "it", "-n", "-1").ExitCode, new[] { ExitCode.Ok, ExitCode.Unusable });
        }
    }

    [Fact]
    public void TopPrintsTablesWithRates()
    {
        using var writer = new Opened(peers, peers.At(Language.C, "one"), "publisher", "block=64 count=64");
        writer.Must("write", "1 20 1 0");
        ToolRun run = ToolRun.In(peers.Directory, "top", "-n", "2", "-d", "0.05", "--json");
        Assert.Equal(2, run.Out.TrimEnd().Split('\n').Length);
        Assert.Equal(ExitCode.Ok, run.ExitCode);
        Assert.Contains(" alive, ", ToolRun.In(peers.Directory, "top", "-n", "1", "-d", "0.05", "--sort", "name").Out, StringComparison.Ordinal);
    }

    private static string Proto => Path.Combine(PeerPrograms.Top, "tests", "native", "rpc", "tests.proto");

    private static JsonElement[] Lines(ToolRun run) => [.. run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => JsonDocument.Parse(line).RootElement)];

    /// <summary>What the peers write for a seed: see tests/peers/c/drive.c.</summary>
    private static string Pattern(int seed, int length) => Convert.ToHexString([.. Enumerable.Range(0, length).Select(i => (byte)(seed * 17 + i * 3 + (i >> 8)))]);
}
