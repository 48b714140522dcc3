using System;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Queues and topics as an attacker, a bug or a bad disk leaves them: a typed error, or use within their bounds; never a crash or a hang.</summary>
public sealed class HostileSlotTests(Peers peers)
{
    private static readonly ulong[] _values =
    [
        0, 1, 2, 3, 5, 63, 64, 4095, 4096, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x1_0000_0000, 0x0000_0001_0001_0002, 0x0000_0001_0001_0102, 0x0000_0001_0002_0203,
        0x0001_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_F000, 0xFFFF_FFFF_FFFF_FFFF,
    ];

    public static TheoryData<string, Language> Regions
    {
        get
        {
            var data = new TheoryData<string, Language>();
            foreach (string golden in new[] { "queue", "queue-grown", "topic", "ring-loan" })
            {
                data.Add(golden, Language.CSharp);
                data.Add(golden, Language.C);
            }
            return data;
        }
    }

    /// <summary>Each word of the body, of the first slots with their descriptors, and of the pool's header and table, turned to each of the values.</summary>
    [Theory]
    [MemberData(nameof(Regions))]
    public void AnyValueInAnyWordIsSurvived(string golden, Language language)
    {
        byte[] bytes = File.ReadAllBytes(FileOf(golden));
        var image = new Image(bytes);
        int body = (int)image.U64(Wire.Region.BodyOffset);
        int place = 0;
        for (int at = body; at < bytes.Length - 8; at += 8)
        {
            // What is zero for whole pages is the memory of blocks and unused slots; of the rest every word, and of the zeros around it some.
            if (image.U64(at) == 0 && at % 64 != 0)
                continue;
            if (at > body + 4096 && image.U64(at) == 0 && at % 1024 != 0)
                continue;
            if (!Switches.LongRuns && at > body + 1024 && image.U64(at) != 0 && at % 128 >= 48)
                continue; // payload
            foreach (ulong value in _values)
            {
                if (!Switches.LongRuns && place++ % (Switches.FullRuns ? 5 : 23) != 0)
                    continue;
                byte[] hostile = (byte[])bytes.Clone();
                new Image(hostile).U64(at, value);
                Use(golden, language, hostile, $"word {at - body} of the body = {value:X}");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Regions))]
    public void RandomBytesAreSurvived(string golden, Language language)
    {
        byte[] bytes = File.ReadAllBytes(FileOf(golden));
        int body = (int)new Image(bytes).U64(Wire.Region.BodyOffset);
        foreach (int seed in Enumerable.Range(0, Switches.LongRuns ? 2000 : 40).Append(785)) // which made the queue of C# search for ever
        {
            var random = new Random(seed);
            byte[] hostile = (byte[])bytes.Clone();
            int length = 1 << random.Next(10), at = body + random.Next(bytes.Length - body - length);
            random.NextBytes(hostile.AsSpan(at, length));
            Use(golden, language, hostile, $"seed {seed}");
        }
    }

    /// <summary>A message whose words are none of docs/wire-format.md section 8. C took a message with flags that it did not know, and went past a slot in a phase that
    /// there is not; C# took a loan whose descriptor was of another lap.</summary>
    [Theory]
    [MemberData(nameof(Damages))]
    public void AMessageThatSaysWhatItCannotBeIsCorrupt(string kind, string damage, Language language)
    {
        string name = peers.NewName("hostile");
        Driven peer = peers.At(language, "victim");
        KindPair.Open(kind, peer, name, sends: false, "budget=65536");
        Driven sender = peers.At(Matrix.Other(language), "sender");
        KindPair.Open(kind, sender, name, sends: true, "budget=65536");
        sender.Must($"write 1 7 {(damage == "loan lap" ? 5000 : 20)} 7");
        sender.Must("write 1 8 20 8");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            long slot = TakenAwayTests.SlotIn(region, Wire.Slot.Ready);
            ulong word = region.U64(slot);
            switch (damage)
            {
                case "flags":
                    region[slot + Wire.Slot.Type] |= 0x8000_0000; // the upper half is the flags
                    break;
                case "loan lap":
                    region[slot + Wire.Slot.LoanLap]++;
                    break;
                case "phase":
                    region.U64(slot, word + 7 - Wire.Slot.Ready);
                    break;
                case "state flag":
                    region.U64(slot, word | 0x8000);
                    break;
            }
        }

        Assert.Equal(IpcStatus.Corrupt, peer.Do("read 1").Status);
        bool isDropped = kind == "queue" && damage is ("flags" or "loan lap"); // what is wrong with the place itself stays
        Assert.Equal(isDropped ? IpcStatus.Ok : IpcStatus.Corrupt, peer.Do("read 1").Status);
        peer.Do("release 1");
        peer.Do("close 1");
        sender.Do("close 1");
    }

    public static TheoryData<string, string, Language> Damages
    {
        get
        {
            var data = new TheoryData<string, string, Language>();
            foreach (string kind in new[] { "queue", "topic" })
            {
                foreach (string damage in new[] { "flags", "loan lap", "phase", "state flag" })
                {
                    data.Add(kind, damage, Language.CSharp);
                    data.Add(kind, damage, Language.C);
                }
            }
            return data;
        }
    }

    private void Use(string golden, Language language, byte[] bytes, string what)
    {
        string name = peers.NewName("hostile");
        peers.Directory.Place(name, bytes);
        Driven peer = peers.At(language, "victim");
        string[] opens = golden switch
        {
            "topic" => ["open-subscriber 1 {0} open=existing join=oldest", "open-publisher 1 {0} open=existing"],
            "ring-loan" => ["open-reader 1 {0} open=existing", "open-writer 1 {0} open=existing"],
            _ => ["open-queue 1 {0} open=existing"],
        };
        try
        {
            foreach (string open in opens)
            {
                if (peer.Do(string.Format(System.Globalization.CultureInfo.InvariantCulture, open, name)).Status != IpcStatus.Ok)
                    continue;
                bool receives = !open.Contains("publisher", StringComparison.Ordinal) && !open.Contains("writer", StringComparison.Ordinal);
                bool sends = !open.Contains("subscriber", StringComparison.Ordinal) && !open.Contains("reader", StringComparison.Ordinal);
                peer.DoAll([
                    .. receives ? Enumerable.Repeat<string[]>(["read 1", "release 1"], 4).SelectMany(static both => both) : [],
                    .. sends ? new[] { 20, 2000, 5000 }.Select(static length => $"write 1 7 {length} 7 timeout=5") : [],
                    "close 1"]);
            }
        }
        catch (Exception error) when (error is EndOfStreamException or TimeoutException)
        {
            throw new InvalidDataException($"{golden}, {what}: {error.Message}");
        }
        File.Delete(peers.Directory.FileOf(name));
    }

    private static string FileOf(string name) => Path.Combine(PeerPrograms.Top, "tests", "vectors", "regions", $"{name}.region");
}
