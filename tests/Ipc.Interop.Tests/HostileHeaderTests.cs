using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>
/// Regions as an attacker, a bug or a bad disk leaves them: both languages refuse them with a typed error, or use them within
/// their bounds; they never crash or hang, and a region that is refused for its header is left as it was.
/// </summary>
public sealed class HostileHeaderTests(Peers peers)
{
    private const int Ring = 2048; // where RegionImage puts the ring's header with 8 participants

    /// <summary>Fields that must be right, with the statuses that may say so. The values are wrong for every one of them.</summary>
    private static readonly (string Name, int Offset, int Width, ulong[] Wrong, IpcStatus[] Expected)[] _strict =
    [
        ("magic", 0, 8, [0, 1, 0x0A314E4752435048, ulong.MaxValue], [IpcStatus.Corrupt]),
        ("major", 8, 2, [0, 2, 0x7FFF, 0xFFFF], [IpcStatus.WrongVersion]),
        ("kind", 12, 4, [2, 3], [IpcStatus.WrongKind]),
        ("kind", 12, 4, [0, 4, 99, uint.MaxValue], [IpcStatus.WrongKind, IpcStatus.Corrupt]),
        ("total_size", 16, 8, [0, 1, 4095, 4096, 8191, 8193, 1 << 20, 1UL << 63, ulong.MaxValue], [IpcStatus.Corrupt]),
        ("participant_offset", 24, 4, [0, 1, 1023, 1025, 1152, 4096, uint.MaxValue], [IpcStatus.Corrupt]),
        ("participant_capacity", 28, 4, [9, 100, 4096, 4097, 0x02000000, 0x01FFFFFF, uint.MaxValue], [IpcStatus.Corrupt]),
        ("body_offset", 32, 8, [0, 1, 1024, 2047, 2049, 2176, 4096, 8192, 1UL << 62, ulong.MaxValue - 127], [IpcStatus.Corrupt]),
        ("body_size", 40, 8, [0, 1, 1023, 6145, 1UL << 32, ulong.MaxValue, ulong.MaxValue - 2047], [IpcStatus.Corrupt]),
        ("state", 128, 4, [3, 99, uint.MaxValue], [IpcStatus.Corrupt]),
        ("ring magic", Ring, 4, [0, 1, 0x474E4953, uint.MaxValue], [IpcStatus.Corrupt]),
        ("capacity", Ring + 8, 8, [0, 1, 64, 2048, 4095, 4097, 6144, 8192, 1 << 30, 1UL << 31, 1UL << 63, ulong.MaxValue], [IpcStatus.Corrupt]),
        ("data_offset", Ring + 16, 8, [0, 1, 64, 2048, 4095, 4097, 8192, 1UL << 32, 1UL << 63, ulong.MaxValue, ulong.MaxValue - 4095], [IpcStatus.Corrupt]),
    ];

    /// <summary>Fields that change while a region lives: any value may be found there, most are repaired.</summary>
    private static readonly (string Name, int Offset, int Width)[] _loose =
    [
        ("minor", 10, 2), ("region_id", 48, 8), ("region_id+8", 56, 8), ("created", 64, 8), ("creator_pid", 72, 4), ("flags", 76, 4),
        ("state", 128, 4), ("recoveries", 132, 4), ("change.word", 256, 4), ("change.fence_required", 260, 4), ("change.wanted", 264, 4),
        ("entry 0 state", 1024, 4), ("entry 0 generation", 1028, 4), ("entry 0 pid", 1032, 4), ("entry 0 role", 1036, 4),
        ("entry 0 start_time", 1040, 8), ("entry 0 pid_namespace", 1056, 8), ("entry 0 runtime", 1064, 4), ("entry 7 state", 1920, 4),
        ("entry 7 role", 1932, 4),
        ("writer", Ring + 128, 4), ("writer_state", Ring + 132, 4), ("reader", Ring + 136, 4), ("reader_state", Ring + 140, 4),
        ("read_position", Ring + 256, 8), ("free_position", Ring + 384, 8),
        ("data.word", Ring + 512, 4), ("data.fence_required", Ring + 516, 4), ("data.wanted", Ring + 520, 4), ("data.fence_count", Ring + 524, 4),
        ("space.word", Ring + 640, 4), ("space.fence_required", Ring + 644, 4), ("space.wanted", Ring + 648, 4), ("space.fence_count", Ring + 652, 4),
        ("record 0 header", 4096, 8), ("record 1 header", 4096 + 64, 8), ("line after the tail", 4096 + 384, 8), ("last line", 8192 - 64, 8),
    ];

    private static readonly ulong[] _interesting =
    [
        0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 128, 4095, 4096, 4097, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1_0000_0000,
        0x8000_0000_0000_0000, 0x8000_0000_0000_0008, 0x8000_0000_FFFF_FFFF, 0x8000_0000_FFFF_FFF8, 0x8000_0000_0000_07F9,
        0x8001_0000_0000_0008, 0x4000_0000_0000_0008, 0xC000_0000_0000_0008, 0xC000_0000_0000_0FF8, 0xC000_0000_FFFF_FFF8,
        0x7FFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFC0, 0xFFFF_FFFF_FFFF_F000, 0xFFFF_FFFF_FFFF_FFFF, 0x5555_5555_5555_5555,
    ];

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AWrongHeaderIsRefusedByNameAndLeftAsItIs(Language language)
    {
        foreach ((string field, int offset, int width, ulong[] wrong, IpcStatus[] expected) in _strict)
        {
            foreach (ulong value in wrong)
            {
                RingImage image = Image();
                image.Write(offset, width, value);
                foreach (string end in new[] { "reader", "writer" })
                {
                    Answer answer = Open(language, image, end, out bool untouched);
                    Assert.True(Array.IndexOf(expected, answer.Status) >= 0, $"{field} = 0x{value:X}: {end} answered {answer}");
                    Assert.True(untouched, $"{field} = 0x{value:X}: the refused region was changed");
                    Assert.NotEqual("", answer.Text);
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AnyValueInAFieldThatChangesIsSurvived(Language language)
    {
        foreach ((_, int offset, int width) in _loose)
        {
            foreach (ulong value in _interesting)
            {
                RingImage image = Image();
                image.Write(offset, width, value);
                Use(language, image, "reader");
                Use(language, image, "writer");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void RandomBytesAnywhereAreSurvived(Language language)
    {
        (int Offset, int Length)[] parts = [(0, 128), (128, 384), (1024, 1024), (Ring, 24), (Ring + 128, 16), (Ring + 256, 512), (4096, 448), (4096, 4096), (0, 8192)];
        foreach ((int offset, int length) in parts)
        {
            for (int seed = 0; seed < (Switches.LongRuns ? 1000 : 25); seed++)
            {
                RingImage image = Image();
                var random = new Random(seed * 31 + offset + length);
                if (seed % 2 == 0)
                {
                    random.NextBytes(image.Bytes.AsSpan(offset, length));
                }
                else // a few bits only: the deeper checks see them
                {
                    for (int i = 0; i < 4; i++)
                        image.Bytes[offset + random.Next(length)] ^= (byte)(1 << random.Next(8));
                }
                Use(language, image, seed % 3 == 0 ? "writer" : "reader");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ATruncatedOrPaddedFileIsRefusedAndLeftAsItIs(Language language)
    {
        byte[] whole = Image().Bytes;
        foreach (int length in new[] { 0, 1, 100, 511, 512, 4095, 4096, 8191, 8192 - 4096, 8193, 12288 })
        {
            byte[] bytes = new byte[length];
            whole.AsSpan(0, Math.Min(length, whole.Length)).CopyTo(bytes);
            string name = peers.NewName("file");
            peers.Directory.Place(name, bytes);
            Answer answer = peers.At(language, "victim").Do($"open-reader 1 {name} open=existing");
            Assert.True(answer.Status == IpcStatus.Corrupt, $"{length} bytes: {answer}");
            Assert.Equal(bytes, peers.Directory.Read(name));
            File.Delete(peers.Directory.FileOf(name));
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void WhatIsNotARegularFileIsRefused(Language language)
    {
        Driven victim = peers.At(language, "victim");
        string directory = peers.NewName("directory"), link = peers.NewName("link"), fifo = peers.NewName("fifo"), target = peers.NewName("target");
        System.IO.Directory.CreateDirectory(peers.Directory.FileOf(directory));
        peers.Directory.Place(target, Image().Bytes);
        File.CreateSymbolicLink(peers.Directory.FileOf(link), peers.Directory.FileOf(target));
        Assert.Equal(0, MakeFifo(peers.Directory.FileOf(fifo), 0x180));
        foreach (string name in new[] { directory, link, fifo })
        {
            Answer answer = victim.Do($"open-reader 1 {name} open=existing timeout=200");
            Assert.True(answer.Status is IpcStatus.Corrupt or IpcStatus.AccessDenied or IpcStatus.WrongKind, $"{name}: {answer}");
        }
        System.IO.Directory.Delete(peers.Directory.FileOf(directory));
        foreach (string name in new[] { link, fifo, target })
            File.Delete(peers.Directory.FileOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void InvalidNamesAreRefused(Language language)
    {
        Driven victim = peers.At(language, "victim");
        foreach (string name in new[] { "", ".hidden", "a/b", "../up", "a~b", "ü", "a\tb", new string('x', 121), "/etc/passwd" })
        {
            Assert.Equal(IpcStatus.InvalidName, victim.Do($"open-reader 1 {name}").Status);
            Assert.Equal(IpcStatus.InvalidName, victim.Do($"connect 1 {name}").Status);
            Assert.Equal(IpcStatus.InvalidName, victim.Do($"listen 1 {name}").Status);
        }
        string longest = peers.NewName("n").PadRight(120, 'x');
        victim.Must($"open-reader 1 {longest}");
        victim.Must("close 1");
    }

    private static RingImage Image() => RegionImage.Ring().AddNumbered(1, 3, 100);

    private Answer Open(Language language, RingImage image, string end, out bool untouched)
    {
        string name = peers.NewName("hostile");
        peers.Directory.Place(name, image.Bytes);
        Driven victim = peers.At(language, "victim");
        Answer[] answers = victim.DoAll($"open-{end} 1 {name} open=existing", "close 1");
        Assert.Equal(IpcStatus.Ok, answers[1].Status);
        untouched = peers.Directory.Has(name) && image.Bytes.AsSpan().SequenceEqual(peers.Directory.Read(name));
        File.Delete(peers.Directory.FileOf(name));
        return answers[0];
    }

    /// <summary>Opens and, if that works, uses the region. What happens is free; that it ends, in this process, is not.</summary>
    private void Use(Language language, RingImage image, string end)
    {
        string name = peers.NewName("hostile");
        peers.Directory.Place(name, image.Bytes);
        Driven victim = peers.At(language, "victim");
        Answer opened = victim.Do($"open-{end} 1 {name} open=existing");
        if (opened.Status != IpcStatus.Ok)
        {
            Assert.True(opened.Status < 0, $"{opened}");
            if (opened.Status is IpcStatus.Corrupt or IpcStatus.WrongKind or IpcStatus.WrongVersion)
                Assert.NotEqual("", opened.Text);
        }
        string[] use = opened.Status != IpcStatus.Ok ? []
            : end == "reader" ? [.. Enumerable.Repeat("read 1", 5), "release 1", "read 1 timeout=1"]
            : [.. Enumerable.Range(0, 5).Select(static i => $"write 1 {i} 900 1"), "write 1 1 10 1 timeout=1", "claim 1 2000"];
        Assert.Equal(IpcStatus.Ok, victim.DoAll([.. use, "close 1"])[^1].Status);
        File.Delete(peers.Directory.FileOf(name));
    }

    [DllImport("libc", EntryPoint = "mkfifo", CharSet = CharSet.Ansi, BestFitMapping = false, ThrowOnUnmappableChar = true)]
    private static extern int MakeFifo(string path, int mode);
}
