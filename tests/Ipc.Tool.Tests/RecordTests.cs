using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>record and replay, and the file between them: docs/recording-format.md.</summary>
public sealed class RecordTests(Peers peers)
{
    [Theory]
    [InlineData("queue", false)]
    [InlineData("queue", true)]
    [InlineData("ring", false)]
    [InlineData("ring", true)]
    [InlineData("topic", false)]
    public void WhatIsRecordedIsReplayed(string kind, bool takes)
    {
        using var directory = new RegionDirectory();
        using IDisposable region = SendTests.Create(directory, kind, "it"), other = SendTests.Create(directory, "queue", "other");
        string file = directory.FileOf("~file");
        foreach (string text in new[] { "one", "", "\u001b[31m" })
            Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "send", "it", text, "--type", "9").ExitCode);

        ToolRun recorded = ToolRun.In(directory, ["record", "it", file, "-n", "3", takes ? "--take" : "--existing"]);
        Assert.Equal((ExitCode.Ok, $"recorded 3 messages (8 B) of {kind} it in {file}\n", ""), (recorded.ExitCode, recorded.Out, recorded.Error));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file));
        if (kind != "topic")
            Assert.Equal(takes ? ExitCode.TimedOut : ExitCode.Ok, ToolRun.In(directory, "receive", "it").ExitCode);

        ToolRun replayed = ToolRun.In(directory, "replay", file, "--to", "other", "--fast", "--loop", "2");
        Assert.Equal((ExitCode.Ok, $"replayed 6 messages (16 B) of {file} into queue other\n"), (replayed.ExitCode, replayed.Out));
        string[] heads = [.. ToolRun.In(directory, "receive", "other").Lines.Where(static line => line.Contains("type", StringComparison.Ordinal))];
        Assert.Equal(["0 type 9 3 B one", "1 type 9 0 B", "2 type 9 5 B", "3 type 9 3 B one", "4 type 9 0 B", "5 type 9 5 B"], heads);
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "replay", file, "--speed", "1000").ExitCode); // into the name that it was recorded from
    }

    [Fact]
    public void ARecordingIsEndedByCtrlCAndIsWhole()
    {
        using var directory = new RegionDirectory();
        using IDisposable topic = SendTests.Create(directory, "topic", "it");
        string file = directory.FileOf("~file");
        bool Joined() => Inspector.One(directory.Path, "it", InspectionDepth.Quick)!.Topic!.Readers.Count == 1;
        ToolRun run = ToolRun.Interrupted(Joined, directory, "record", "it", file);
        Assert.Equal(ExitCode.Interrupted, run.ExitCode);
        Assert.StartsWith("interrupted: recorded 0 messages", run.Error, StringComparison.Ordinal);
        using var reader = new RecordingReader(file);
        Assert.False(reader.Next(out _));
        Assert.False(reader.WasCutShort);
    }

    /// <summary>Taken is what is in the file, at every moment: a recorder may be killed at any.</summary>
    [Fact]
    public void WhatIsTakenIsInTheFile()
    {
        using var directory = new RegionDirectory();
        using IDisposable region = SendTests.Create(directory, "queue", "it");
        string file = directory.FileOf("~file"), copy = directory.FileOf("~copy");
        Assert.Equal(ExitCode.Ok, ToolRun.With("1\n2\n3\n", directory.Path, "send", "it").ExitCode);
        bool AllAreTaken()
        {
            if (Inspector.One(directory.Path, "it", InspectionDepth.Quick)!.Unread != 0) // what it has in its hand stands in the queue still
                return false;
            File.Copy(file, copy);
            return true;
        }

        Assert.Equal(ExitCode.Interrupted, ToolRun.Interrupted(AllAreTaken, directory, "record", "it", file, "--take").ExitCode);
        Assert.Equal(["1", "2", "3"], Read(copy, out bool wasCutShort).ConvertAll(static entry => Encoding.UTF8.GetString(entry.Payload)));
        Assert.True(wasCutShort);
    }

    /// <summary>A lossy reader holds nobody up, and says what it missed; that is in the file.</summary>
    [Fact]
    public void NobodyWaitsForARecorder()
    {
        using var directory = new RegionDirectory();
        using var topic = (TopicWriter)SendTests.Create(directory, "topic", "it");
        string file = directory.FileOf("~file");
        int published = 0;
        bool Flooded()
        {
            if (Inspector.One(directory.Path, "it", InspectionDepth.Quick)!.Topic!.Readers is not [{ Policy: "lossy" } reader])
                return false;
            for (; published < 100_000; published++)
                Assert.True(topic.TryPublish("12345678"u8));
            return reader.Cursor > reader.Joined; // it has read some of it
        }

        ToolRun run = ToolRun.Interrupted(Flooded, directory, "record", "it", file, "--json");
        long seen = run.Json.GetProperty("messages").GetInt64(), lost = run.Json.GetProperty("lost").GetInt64();
        Assert.InRange(seen + lost, 1, 100_000);
        List<RecordingEntry> entries = Read(file, out bool wasCutShort);
        Assert.False(wasCutShort);
        Assert.Equal(seen, entries.Count(static entry => entry.What == RecordingFormat.MessageEntry));
        Assert.Equal(lost, entries.Where(static entry => entry.What == RecordingFormat.LostEntry).Sum(static entry => (long)entry.Number));
    }

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void ARecordingOutlivesItsRegion(Language language)
    {
        var topic = new Opened(peers, peers.At(language, "one"), "publisher", "block=64 count=16");
        topic.Must("write", "1 20 1 0");
        string file = Path.Combine(Path.GetTempPath(), Guid.NewGuid() + ".recording");
        try
        {
            Assert.Equal(1, ToolRun.In(peers.Directory, "record", topic.Name, file, "--existing", "--seconds", "0.3", "--json").Json.GetProperty("messages").GetInt32());
            Assert.Equal(ExitCode.Usage, ToolRun.In(peers.Directory, "record", topic.Name, file).ExitCode);
            topic.Dispose();
            ToolRun gone = ToolRun.In(peers.Directory, "replay", file);
            Assert.Equal(ExitCode.NotFound, gone.ExitCode);
        }
        finally
        {
            topic.Dispose();
            File.Delete(file);
        }
    }

    /// <summary>On a busy machine the time could be over before the first look.</summary>
    [Theory]
    [InlineData("queue")]
    [InlineData("ring")]
    [InlineData("topic")]
    public void WhatIsThereIsRecordedHoweverShortTheTime(string kind)
    {
        using var directory = new RegionDirectory();
        using IDisposable region = SendTests.Create(directory, kind, "it");
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "send", "it", "one").ExitCode);
        ToolRun run = ToolRun.In(directory, "record", "it", directory.FileOf("~file"), "--existing", "--seconds", "0.000001", "--json");
        Assert.Equal((ExitCode.Ok, 1), (run.ExitCode, run.Json.GetProperty("messages").GetInt32()));
    }

    /// <summary>The bytes of the page, typed here again.</summary>
    [Fact]
    public void TheFileIsAsItsPageSays()
    {
        using var directory = new RegionDirectory();
        string file = Recording(directory);
        byte[] bytes = File.ReadAllBytes(file);
        Assert.Equal("89" + "49504352" + "0D0A1A", Convert.ToHexString(bytes.AsSpan(0, 8)));
        Assert.Equal("01000000" + "28000000", Convert.ToHexString(bytes.AsSpan(8, 8)));
        Assert.Equal("05000000" + "02000000" + "6974000000000000", Convert.ToHexString(bytes.AsSpan(24, 16)));
        Assert.Equal("0100" + "0700" + "03000000", Convert.ToHexString(bytes.AsSpan(40, 8)));
        Assert.Equal("0B00000000000000" + "01000000", Convert.ToHexString(bytes.AsSpan(56, 12)));
        Assert.Equal("6162630000000000", Convert.ToHexString(bytes.AsSpan(72, 8)));
        Assert.Equal("02000000" + "00000000", Convert.ToHexString(bytes.AsSpan(80, 8)));
        Assert.Equal("03000000" + "00000000", Convert.ToHexString(bytes.AsSpan(112, 8)));
        Assert.Equal(144, bytes.Length);
        Assert.Equal(0xCBF43926u, Checksum.Add(0, "123456789"u8)); // the check value that everybody has for it
    }

    [Fact]
    public void AFileThatWasCutShortIsPlayedAsFarAsItGoes()
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = SendTests.Create(directory, "queue", "it");
        string file = Recording(directory);
        byte[] whole = File.ReadAllBytes(file);
        for (int length = 40; length < whole.Length; length++)
        {
            File.WriteAllBytes(file, whole[..length]);
            ToolRun run = ToolRun.In(directory, "replay", file, "--fast");
            Assert.Equal(ExitCode.Problems, run.ExitCode);
            Assert.Contains("was cut short", run.Error, StringComparison.Ordinal);
            Assert.Contains($"replayed {(length >= 75 ? 1 : 0)} message", run.Out, StringComparison.Ordinal);
            _ = ToolRun.In(directory, "receive", "it");
        }
    }

    [Fact]
    public void ADamagedFileIsRefused()
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = SendTests.Create(directory, "queue", "it");
        string file = Recording(directory);
        byte[] whole = File.ReadAllBytes(file);
        for (int at = 0; at < whole.Length; at++)
        {
            if (at is (>= 10 and < 12) or (>= 16 and < 28) or (>= 32 and < 40) or (>= 75 and < 80))
                continue; // a minor version, the time, kind and name, padding
            byte[] bytes = (byte[])whole.Clone();
            bytes[at] ^= 0x55;
            File.WriteAllBytes(file, bytes);
            ToolRun run = ToolRun.In(directory, "replay", file, "--fast");
            Assert.True(run.ExitCode is ExitCode.Unusable or ExitCode.Problems or ExitCode.NotFound, $"byte {at}: {run.ExitCode} {run.Out}{run.Error}");
            _ = ToolRun.In(directory, "receive", "it");
        }

        File.WriteAllText(file, "text");
        Assert.Contains("is no recording", ToolRun.In(directory, "replay", file).Error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "replay", file + "-missing").ExitCode);
    }

    [Fact]
    public void AnyBytesMayBeAnything()
    {
        using var directory = new RegionDirectory();
        string file = Recording(directory);
        byte[] whole = File.ReadAllBytes(file);
        var random = new Random(5);
        for (int round = 0; round < 500; round++)
        {
            byte[] bytes = (byte[])whole.Clone();
            for (int change = random.Next(1, 4); change > 0; change--)
                BitConverter.TryWriteBytes(bytes.AsSpan(random.Next(bytes.Length / 8) * 8), random.NextInt64() >> random.Next(64));
            File.WriteAllBytes(file, bytes);
            try
            {
                _ = Read(file, out _);
            }
            catch (ToolException error)
            {
                Assert.Equal(ExitCode.Unusable, error.ExitCode);
            }
        }
    }

    [Fact]
    public void AnEmptyRecordingIsNotLoopedForEver()
    {
        using var directory = new RegionDirectory();
        using IDisposable queue = SendTests.Create(directory, "queue", "it");
        string file = directory.FileOf("~file");
        using (var writer = new RecordingWriter(file, "queue", "it", replaces: false))
            writer.End();
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "replay", file, "--loop").ExitCode);
        Assert.Equal(ExitCode.Usage, ToolRun.In(directory, "replay", file, "--speed", "0").ExitCode);
    }

    private static string Recording(RegionDirectory directory)
    {
        string file = directory.FileOf("~file");
        using var writer = new RecordingWriter(file, "topic", "it", replaces: false);
        writer.Message(new TappedMessage(0, 7, Encoding.UTF8.GetBytes("abc")) { Key = 11, Redelivered = true });
        writer.Lost(3);
        writer.End();
        return file;
    }

    private static List<RecordingEntry> Read(string file, out bool wasCutShort)
    {
        using var reader = new RecordingReader(file);
        List<RecordingEntry> entries = [];
        while (reader.Next(out RecordingEntry entry))
            entries.Add(entry);
        wasCutShort = reader.WasCutShort;
        return entries;
    }
}
