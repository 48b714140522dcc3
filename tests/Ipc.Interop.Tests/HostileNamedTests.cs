using System;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A named connection's region of another version, or of a bad disk, as a client and as a server find it.</summary>
public sealed class HostileNamedTests(Peers peers)
{
    private const string Client = "trader";

    private static readonly (string Name, int Offset, int Width, ulong[] Wrong, IpcStatus Expected)[] _strict =
    [
        ("magic", 0, 8, [0, 1, ulong.MaxValue], IpcStatus.Corrupt),
        ("major", 8, 2, [0, 2, 0x7FFF, 0xFFFF], IpcStatus.WrongVersion),
        ("kind", 12, 4, [1, 2], IpcStatus.WrongKind),
        ("total_size", 16, 8, [0, 4096, 1UL << 63, ulong.MaxValue], IpcStatus.Corrupt),
        ("participant_capacity", 28, 4, [0x02000000, uint.MaxValue], IpcStatus.Corrupt),
        ("body_offset", 32, 8, [0, 1, 1UL << 62, ulong.MaxValue - 127], IpcStatus.Corrupt),
        ("body_size", 40, 8, [0, 1, 1UL << 32, ulong.MaxValue], IpcStatus.Corrupt),
    ];

    private static readonly ulong[] _interesting = [0, 1, 2, 64, 4096, uint.MaxValue, 1UL << 32, 1UL << 62, 1UL << 63, ulong.MaxValue, 0x8000000000000001, 0xA000000000000010];

    private readonly string _name = peers.NewName("exchange");

    private string Path => peers.Directory.FileOf($"{_name}~~{Client}");

    private Image Image() => RegionImage.Named(_name, Client, "", "", "");

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AnotherVersionOrAWrongHeaderIsRefusedByNameAndLeftAsItIs(Language language)
    {
        Driven peer = peers.At(language, "peer");
        peer.Must($"open-named-listener 1 {_name}");
        foreach ((string field, int offset, int width, ulong[] wrong, IpcStatus expected) in _strict)
        {
            foreach (ulong value in wrong)
            {
                Image image = Image();
                image.Write(offset, width, value);
                foreach (string command in new[] { $"open-named 2 {_name} {Client}", $"named-attach 1 {Client}" })
                {
                    File.WriteAllBytes(Path, image.Bytes);
                    Answer answer = peer.Do(command);
                    Assert.True(answer.Status == expected, $"{field} = 0x{value:X}: {command} answered {answer}");
                    Assert.NotEqual("", answer.Text);
                    Assert.True(File.ReadAllBytes(Path).SequenceEqual(image.Bytes), $"{field} = 0x{value:X}: the refused region was changed");
                }
            }
        }

        File.Delete(Path);
        peer.Must("close 1");
    }

    /// <summary>Any word of its own header: a typed error or nothing, from both sides, and nobody crashes or hangs.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AnyWordOfItsOwnHeaderIsSurvived(Language language)
    {
        Driven peer = peers.At(language, "peer");
        peer.Must($"open-named-listener 1 {_name}");
        int body = Image().Bytes.AsSpan().IndexOf("NAMD"u8), step = Switches.LongRuns ? 1 : 4;
        int[] words = [.. Enumerable.Range(0, 52), 208, 209, .. Enumerable.Range(Wire.Named.Rings / 8, 4), .. Enumerable.Range(Wire.Named.Rings / 8 + 16, 4), .. Enumerable.Range(Wire.Named.Rings / 8 + 32, 4)];
        foreach (int word in words)
        {
            for (int i = word % step; i < _interesting.Length; i += step)
            {
                Image image = Image();
                image.U64(body + 8 * word, _interesting[i]);
                File.WriteAllBytes(Path, image.Bytes);
                if (peer.Do($"open-named 2 {_name} {Client}").Status == IpcStatus.Ok)
                    Use(peer, 2);
                File.WriteAllBytes(Path, image.Bytes);
                Answer attached = peer.Do($"named-attach 1 {Client}");
                if (attached.Status == IpcStatus.Ok)
                    Use(peer, (int)attached["connection"]);
                File.Delete(Path);
            }
        }

        peer.Must("close 1");
    }

    /// <summary>The answers are the library's affair; that they come is ours.</summary>
    private static void Use(Driven peer, int id)
    {
        peer.Do($"named-send {id} 100");
        peer.Do($"named-receive {id}");
        peer.Do($"named-acknowledge {id}");
        peer.Do($"named-state {id}");
        peer.Do($"named-close {id} 1");
    }
}
