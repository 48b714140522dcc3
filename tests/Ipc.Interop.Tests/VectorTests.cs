using System;
using System.Buffers.Binary;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>
/// Whole regions as golden files (tests/vectors/regions): built from docs/wire-format.md by <see cref="RegionImage"/>, read by both languages.
/// </summary>
/// <remarks>
/// A golden file never changes within a major version of the format: a difference here is a break of it, unless it is a new file.
/// IPC_WRITE_VECTORS=1 writes the files that are missing.
/// </remarks>
public sealed class VectorTests(Peers peers)
{
    private const int Records = 8, Max = 700;

    public static TheoryData<string> Names => ["ring", "listener", "connection"];

    public static TheoryData<string, Language> NamesAndLanguages
    {
        get
        {
            var data = new TheoryData<string, Language>();
            foreach (string name in new[] { "ring", "listener", "connection" })
            {
                data.Add(name, Language.CSharp);
                data.Add(name, Language.C);
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void AGoldenFileIsWhatTheFormatSays(string name)
    {
        byte[] built = Build(name).Bytes;
        string file = FileOf(name, "region");
        if (Environment.GetEnvironmentVariable("IPC_WRITE_VECTORS") == "1" && !File.Exists(file))
            File.WriteAllBytes(file, built);
        byte[] golden = File.ReadAllBytes(file);
        Assert.Equal(golden.Length, built.Length);
        int difference = golden.AsSpan().CommonPrefixLength(built);
        Assert.True(difference == golden.Length, $"{file} differs at byte {difference}");
    }

    /// <summary>Every field with its name and value, the same lines from both languages.</summary>
    [Theory]
    [MemberData(nameof(NamesAndLanguages))]
    public void AGoldenFileIsShownFieldByField(string name, Language language)
    {
        string region = peers.NewName("golden");
        peers.Directory.Place(region, File.ReadAllBytes(FileOf(name, "region")));
        using Driven peer = Driven.StartVerb(language, peers.Directory, "region-show", region);
        string shown = string.Join('\n', peer.RemainingLines()) + '\n';
        Assert.Equal(0, peer.WaitForExit());
        string file = FileOf(name, "txt");
        if (Environment.GetEnvironmentVariable("IPC_WRITE_VECTORS") == "1" && !File.Exists(file))
            File.WriteAllText(file, shown);
        Assert.Equal(File.ReadAllText(file), shown);
        Assert.Equal(File.ReadAllBytes(FileOf(name, "region")), peers.Directory.Read(region)); // looking changes nothing
        File.Delete(peers.Directory.FileOf(region));
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheGoldenRingIsReadAndWrittenOn(Language language)
    {
        string name = peers.NewName("golden");
        peers.Directory.Place(name, File.ReadAllBytes(FileOf("ring", "region")));
        Driven reader = peers.At(language, "reader"), writer = peers.At(language, "writer");
        writer.Must($"open-writer 1 {name} open=existing");
        reader.Must($"open-reader 1 {name} open=existing");
        Assert.Equal($"0 redelivered={Records}", reader.Do($"receive 1 1 {Records} {Max} timeout=600000").Line); // its reader had died
        reader.Begin($"receive 1 {Records + 1} 100 {Max} timeout=600000");
        writer.Must($"send 1 {Records + 1} 100 {Max} timeout=600000");
        Assert.Equal("0 redelivered=0", reader.Result().Line);
        writer.Must("close 1");
        reader.Must("close 1");
        File.Delete(peers.Directory.FileOf(name)); // it is persistent
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheGoldenListenerIsReplacedByANewServer(Language language)
    {
        string name = peers.NewName("golden");
        peers.Directory.Place(name, File.ReadAllBytes(FileOf("listener", "region")));
        peers.Directory.Place($"{name}~00000000000000c1", File.ReadAllBytes(FileOf("connection", "region")));
        Driven server = peers.At(language, "server"), client = peers.At(Matrix.Other(language), "client");
        Assert.Equal(IpcStatus.NotFound, client.Do($"connect 1 {name}").Status); // nobody is there any more
        peers.Directory.Place(name, File.ReadAllBytes(FileOf("listener", "region")));
        server.Must($"listen 1 {name}");
        Assert.Equal([name], peers.Directory.FilesOf(name)); // with the connection that its slot named
        server.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>Both languages make the same ring, byte for byte: what differs is who made it, and when.</summary>
    [Theory]
    [InlineData("open-writer 1 {0} capacity=8192")]
    [InlineData("open-reader 1 {0} capacity=4096 persistent=1")]
    public void ANewRingIsTheSameInBothLanguages(string command)
    {
        byte[][] made = [.. Enum.GetValues<Language>().Select(language =>
        {
            string name = peers.NewName("new");
            Driven peer = peers.At(language, "victim");
            peer.Must(string.Format(System.Globalization.CultureInfo.InvariantCulture, command, name));
            byte[] bytes = peers.Directory.Read(name);
            peer.Must("close 1");
            File.Delete(peers.Directory.FileOf(name));
            return bytes;
        })];
        foreach (byte[] bytes in made)
        {
            Clear(bytes, Wire.Region.Id, 28); // id, created, creator_pid
            Clear(bytes, Wire.Region.Change, 4); // how often it was signalled
            Clear(bytes, (int)BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(Wire.Region.BodyOffset)) + Wire.Ring.Space, 4);
            int entry = Wire.Region.Participants;
            Clear(bytes, entry + Wire.Participant.Pid, 4);
            Clear(bytes, entry + Wire.Participant.StartTime, 16);
            Clear(bytes, entry + Wire.Participant.PidNamespace, 12);
        }
        Assert.Equal(made[0].Length, made[1].Length);
        int difference = made[0].AsSpan().CommonPrefixLength(made[1]);
        Assert.True(difference == made[0].Length, $"C# and C differ at byte {difference}");
    }

    private static void Clear(byte[] bytes, int at, int length) => bytes.AsSpan(at, length).Clear();

    private static string FileOf(string name, string kind) => Path.Combine(PeerPrograms.Top, "tests", "vectors", "regions", $"{name}.{kind}");

    private static Image Build(string name)
    {
        switch (name)
        {
            case "ring":
                // Begins shortly before the end of the fourth lap: padding, a wrap, records of several sizes; both ends died.
                RingImage ring = RegionImage.Ring().StartAt(4 * 4096 - 640).AddNumbered(1, Records, Max);
                RegionImage.AddParticipant(ring, 0, Wire.Participant.RoleWriter, runtime: 2);
                ring[ring.Ring + Wire.Ring.Writer] = 1;
                ring[ring.Ring + Wire.Ring.WriterState] = Wire.Ring.Live;
                ring[ring.Ring + Wire.Ring.ReaderState] = Wire.Ring.Died;
                ring[ring.Ring + Wire.Ring.Data] = 0x12;
                ring[ring.Ring + Wire.Ring.Space + Wire.Waiter.Wanted] = 1;
                ring[Wire.Region.Recoveries] = 1;
                return ring;
            case "listener":
                Image listener = RegionImage.Listener();
                int slots = (int)listener.U64((int)listener.U64(Wire.Region.BodyOffset) + Wire.Listener.SlotsOffset);
                RegionImage.AddParticipant(listener, 3, Wire.Participant.RoleClient, runtime: 1);
                listener[slots + 3 * Wire.Listener.SlotSize] = Wire.Listener.Requested;
                listener.U64(slots + 3 * Wire.Listener.SlotSize + Wire.Listener.SlotConnectionId, 0xC1);
                listener.U64((int)listener.U64((int)listener.U64(Wire.Region.BodyOffset) + Wire.Listener.ReadyOffset), 1 << 3);
                return listener;
            default:
                return RegionImage.Connection(0xC1, 3);
        }
    }
}
