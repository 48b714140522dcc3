using System;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A peer that writes rubbish into a ring while the other end uses it: a typed error or a longer wait, nothing worse.</summary>
public sealed class HostileRingTests(Peers peers)
{
    /// <summary>Headers that no writer publishes. The reader's next read says Corrupt, and says it again.</summary>
    public static TheoryData<Language, string> BadHeaders
    {
        get
        {
            var data = new TheoryData<Language, string>();
            foreach (Language language in new[] { Language.CSharp, Language.C })
            {
                foreach (string header in new[]
                {
                    "0000000000000001", // not published, and not nothing
                    "0000000100000008", "4000000000000FF8", "7FFFFFFFFFFFFFFF",
                    "8001000000000008", "A000000000000008", "BFFF000000000008", "FFFFFFFFFFFFFFFF", // reserved bits
                    "80000000000007F9", "8000000000001000", "800000007FFFFFFF", "80000000FFFFFFFF", // larger than half the ring
                    "C000000000000008", "C000000000000FF0", "C000000000001000", "C0000000FFFFFFF8", "C000000000000000", // padding: not the rest of the lap
                })
                    data.Add(language, header);
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(BadHeaders))]
    public void ABadRecordHeaderIsCorrupt(Language reader, string header)
    {
        using var ring = new RingPair(peers, Matrix.Other(reader), reader);
        ring.MustWrite(1, 10, 1);
        ring.MustRead(1, 10, 1);
        using (var region = new LiveRegion(peers.Directory.FileOf(ring.Name)))
            region.U64(DataOf(region) + Wire.Line, Convert.ToUInt64(header, 16));
        for (int again = 0; again < 2; again++)
        {
            Answer answer = ring.Read("read", "timeout=600000");
            Assert.Equal(IpcStatus.Corrupt, answer.Status);
            Assert.NotEqual("", answer.Text);
        }
    }

    /// <summary>A record may not run over the end of the lap: the reader would read what is behind the ring.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ARecordOverTheEndOfTheLapIsCorrupt(Language reader)
    {
        using var ring = new RingPair(peers, Matrix.Other(reader), reader);
        for (uint n = 0; n < 3; n++)
        {
            ring.MustWrite(n, 1024 - 8, 1);
            ring.MustRead(n, 1024 - 8, 1);
            ring.Read("release");
        }
        using (var region = new LiveRegion(peers.Directory.FileOf(ring.Name)))
            region.U64(DataOf(region) + 3072, RingImage.HeaderOf(1100, 1));
        Assert.Equal(IpcStatus.Corrupt, ring.Read("read", "timeout=600000").Status);
    }

    /// <summary>One field of the ring's header turned to any value while both ends are attached, then both are used.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AnyHeaderFieldMayChangeUnderTheEnds(Language writer, Language reader)
    {
        (int Offset, int Width)[] fields =
        [
            (Wire.Ring.Magic, 4), (Wire.Ring.Capacity, 8), (Wire.Ring.DataOffset, 8), (Wire.Ring.Writer, 4), (Wire.Ring.WriterState, 4),
            (Wire.Ring.Reader, 4), (Wire.Ring.ReaderState, 4), (Wire.Ring.ReadPosition, 8), (Wire.Ring.FreePosition, 8),
            (Wire.Ring.Data, 4), (Wire.Ring.Data + 4, 4), (Wire.Ring.Data + 8, 4), (Wire.Ring.Space, 4), (Wire.Ring.Space + 4, 4), (Wire.Ring.Space + 8, 4),
        ];
        ulong[] values = [0, 1, 2, 3, 64, 4096, 0x7FFF_FFFF, 0xFFFF_FFFF, 1UL << 63, ulong.MaxValue - 63, ulong.MaxValue];
        foreach ((int offset, int width) in fields)
        {
            foreach (ulong value in values)
                Scribble(writer, reader, region => Write(region, region.Body + offset, width, value));
        }
    }

    /// <summary>The same for the region's header and the participant table.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheRegionsHeaderMayChangeUnderTheEnds(Language writer, Language reader)
    {
        (int Offset, int Width)[] fields =
        [
            (0, 8), (8, 4), (12, 4), (16, 8), (24, 4), (28, 4), (32, 8), (40, 8), (48, 8), (76, 4), (128, 4), (132, 4), (256, 4), (260, 4),
            (1024, 4), (1028, 4), (1032, 4), (1036, 4), (1040, 8), (1056, 8), (1152, 4), (1160, 4), (1164, 4),
        ];
        foreach ((int offset, int width) in fields)
        {
            foreach (ulong value in new ulong[] { 0, 2, 0x7FFF_FFFF, ulong.MaxValue })
                Scribble(writer, reader, region => Write(region, offset, width, value));
        }
    }

    /// <summary>Random bytes, again and again, while traffic runs.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void RandomBytesDuringTrafficEndInAnAnswer(Language writer, Language reader)
    {
        for (int seed = 0; seed < (Switches.LongRuns ? 200 : 8); seed++)
        {
            var random = new Random(seed);
            string name = peers.NewName("scribble");
            Driven sender = peers.At(writer, "victim"), receiver = peers.At(reader, "victim2");
            sender.Must($"open-writer 1 {name} capacity=4096");
            receiver.Must($"open-reader 1 {name}");
            using (var region = new LiveRegion(peers.Directory.FileOf(name)))
            {
                receiver.Begin("receive 1 1 200000 200 timeout=400");
                sender.Begin("send 1 1 200000 200 timeout=400");
                byte[] bytes = new byte[64];
                for (int i = 0; i < 20000 && !(sender.HasAnswered && receiver.HasAnswered); i++)
                {
                    random.NextBytes(bytes);
                    int length = 1 << random.Next(7);
                    long at = seed % 2 == 0 ? DataOf(region) + random.Next(4096 - 64) : region.Body + 128 + random.Next(700);
                    region.Write(at, bytes.AsSpan(0, length));
                }
                sender.Result();
                receiver.Result();
            }
            CloseAndForget(name, sender, receiver);
        }
    }

    private void Scribble(Language writer, Language reader, Action<LiveRegion> attack)
    {
        string name = peers.NewName("scribble");
        Driven sender = peers.At(writer, "victim"), receiver = peers.At(reader, "victim2");
        sender.Must($"open-writer 1 {name} capacity=4096");
        receiver.Must($"open-reader 1 {name}");
        sender.Must("write 1 1 100 1");
        sender.Must("write 1 2 100 1");
        Assert.Equal(IpcStatus.Ok, receiver.Do("read 1").Status);
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
            attack(region);
        receiver.Do("release 1");
        for (int i = 0; i < 6; i++)
        {
            sender.Do($"write 1 {i} 900 1");
            receiver.Do("read 1");
        }
        receiver.Do("release 1");
        receiver.Do("read 1 timeout=2");
        sender.Do("claim 1 2000 timeout=2");
        CloseAndForget(name, sender, receiver);
    }

    /// <summary>Both processes are still there and close; what the file is worth by now does not matter.</summary>
    private void CloseAndForget(string name, params Driven[] ends)
    {
        foreach (Driven end in ends)
            end.Must("close 1");
        foreach (string left in peers.Directory.FilesOf(name).ToArray())
            System.IO.File.Delete(peers.Directory.FileOf(left));
    }

    private static long DataOf(LiveRegion region) => (long)region.U64(region.Body + Wire.Ring.DataOffset);

    private static void Write(LiveRegion region, long offset, int width, ulong value)
    {
        if (width == 4)
            region[offset] = (uint)value;
        else
            region.U64(offset, value);
    }
}
