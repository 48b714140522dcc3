using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>send and receive: what goes in comes out, and each way of failing has its exit code.</summary>
public sealed class SendTests(Peers peers)
{
    private static readonly QueueOptions s_small = new() { BlockSize = 64, BlockCount = 8, MaxExpansions = 0, LoanBudget = 0 };

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void APeerGetsWhatWasSent(Language language)
    {
        using var queue = new Opened(peers, peers.At(language, "one"), "queue", "block=64 count=8");
        ToolRun run = ToolRun.In(peers.Directory, "send", queue.Name, "--hex", "00 01 ff", "--type", "7");
        Assert.Equal((ExitCode.Ok, $"sent 1 message (3 B) to queue {queue.Name}\n", ""), (run.ExitCode, run.Out, run.Error));
        queue.Must("read", "timeout=60000");
        queue.Must("release");
    }

    [Theory]
    [InlineData("queue")]
    [InlineData("ring")]
    public void WhatIsSentIsReceived(string kind)
    {
        using var directory = new RegionDirectory();
        using IDisposable region = Create(directory, kind, "it");
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "send", "it", "a text", "--type", "65535").ExitCode);
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "send", "it", "").ExitCode);
        Assert.Equal(3, ToolRun.With("one\n\nlast", directory.Path, "send", "it", "--json").Json.GetProperty("messages").GetInt32());

        string file = directory.FileOf("~content");
        File.WriteAllBytes(file, [1, 2, 3]);
        Assert.Equal($"sent 1 message (3 B) to {kind} it\n", ToolRun.In(directory, "send", "it", "--file", file).Out);
        Assert.Equal(ExitCode.Ok, ToolRun.With("all\nof it", directory.Path, "send", "it", "--file", "-").ExitCode);

        ToolRun received = ToolRun.In(directory, "receive", "it", "--json");
        Assert.Equal(ExitCode.Ok, received.ExitCode);
        JsonElement[] lines = [.. received.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => JsonDocument.Parse(line).RootElement)];
        Assert.Equal(["a text", "", "one", "", "last", "010203", "all\nof it"], lines.Select(static line => (line.TryGetProperty("text", out JsonElement text) ? text : line.GetProperty("hex")).GetString()));
        Assert.Equal(65535, lines[0].GetProperty("type").GetInt32());
        Assert.Equal(ExitCode.TimedOut, ToolRun.In(directory, "receive", "it").ExitCode);
    }

    [Fact]
    public void ATopicsReadersGetTypeAndKey()
    {
        using var directory = new RegionDirectory();
        using IDisposable topic = Create(directory, "topic", "it");
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "send", "it", "news", "--type", "3", "--key", "18446744073709551615").ExitCode);
        Assert.Contains("type 3  4 B  key 18446744073709551615", ToolRun.In(directory, "tail", "it").Out, StringComparison.Ordinal);
        ToolRun refused = ToolRun.In(directory, "receive", "it");
        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.Contains("'ipc tail'", refused.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void AFullQueueSaysSoInTimeAndHowManyWentIn()
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = Create(directory, "queue", "it");
        ToolRun run = ToolRun.With("1\n2\n3\n4\n5\n6\n7\n8\n9\n", directory.Path, "send", "it", "--timeout", "0.01");
        Assert.Equal(ExitCode.TimedOut, run.ExitCode);
        Assert.Contains("sent 8 messages (8 B) to queue it", run.Error, StringComparison.Ordinal);
        Assert.Contains("is full: nobody has made room", run.Error, StringComparison.Ordinal);
        Assert.Equal("12345678", string.Concat(ToolRun.In(directory, "receive", "it", "--format", "text").Lines.Where(static line => line.Length > 0).Select(static line => line[^1])));
    }

    [Fact]
    public void EachWayOfFailingHasItsExitCode()
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = Create(directory, "queue", "it"), ring = Create(directory, "ring", "taken");
        directory.Place("foreign", "not a region"u8);
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "send", "nothing", "x").ExitCode);
        Assert.Equal(ExitCode.Unusable, ToolRun.In(directory, "send", "foreign", "x").ExitCode);
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "send", "it", "--file", directory.FileOf("missing")).ExitCode);
        foreach (string[] wrong in new[] { ["--hex", "0"], ["--hex", "zz"], ["x", "--hex", "00"], ["x", "--type", "65536"], ["x", "--key", "1"], ["x", "--timeout", "-1"], new[] { new string('x', 65) } })
        {
            ToolRun run = ToolRun.In(directory, ["send", "it", .. wrong]);
            Assert.True(run.ExitCode == ExitCode.Usage, run.Error);
        }

        using RingWriter owner = RingWriterOf(directory, "taken");
        ToolRun second = ToolRun.In(directory, "send", "taken", "x");
        Assert.Equal(ExitCode.InUse, second.ExitCode);
        Assert.Contains("has a writer", second.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void AnInterruptedReceiverEnds()
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = Create(directory, "queue", "it");
        ToolRun run = ToolRun.Interrupted(() => Inspector.One(directory.Path, "it", InspectionDepth.Quick)!.Alive == 2, directory, "receive", "it", "-f");
        Assert.Equal(ExitCode.Interrupted, run.ExitCode);
    }

    /// <summary>Opened by this process, so that it is there; the test holds no end that the tool wants.</summary>
    internal static IDisposable Create(RegionDirectory directory, string kind, string name)
    {
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        Environment.SetEnvironmentVariable("IPC_DIR", directory.Path);
        try
        {
            switch (kind)
            {
                case "queue":
                    return SharedQueue.Open(name, s_small);
                case "topic":
                    return TopicWriter.Open(name, new TopicOptions { BlockSize = 64, BlockCount = 64, LoanBudget = 0 });
                default:
                    RingWriter.Open(name, new RingOptions { Capacity = 4096, Lifetime = Lifetime.Persistent }).Dispose();
                    return Nobody.Instance;
            }
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
        }
    }

    private static RingWriter RingWriterOf(RegionDirectory directory, string name)
    {
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        Environment.SetEnvironmentVariable("IPC_DIR", directory.Path);
        try
        {
            return RingWriter.Open(name);
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
        }
    }

    private sealed class Nobody : IDisposable
    {
        public static readonly Nobody Instance = new();

        public void Dispose()
        {
        }
    }
}
