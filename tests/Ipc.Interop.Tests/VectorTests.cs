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

    private static readonly string[] _shown = ["ring", "listener", "connection", "queue", "queue-grown", "topic", "ring-loan", "named"];
    private static readonly string[] _locks = ["mutex", "semaphore", "event"]; // a word or two: no peer shows them field by field

    public static TheoryData<string> Names => [.. _shown, .. _locks];

    public static TheoryData<string, Language> NamesAndLanguages
    {
        get
        {
            var data = new TheoryData<string, Language>();
            foreach (string name in _shown)
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

    /// <summary>What the dead receiver held, and what waited as redelivered, comes first; a loan, an open claim of the dead, the rest in order.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheGoldenQueueIsReceivedFromAndSentTo(Language language) =>
        ReceiveGolden(language, "queue", "open-queue", [(1, 20, 1), (2, 20, 1), (3, 20, 0), (4, 3000, 0), (5, 20, 0)]);

    /// <summary>Three segments, the first of them drained and sealed: received from across the seams, then used again.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheGoldenGrownQueueIsReceivedFromAndSentTo(Language language) =>
        ReceiveGolden(language, "queue-grown", "open-queue", [(1, 20, 0), (2, 20, 0), (3, 20, 0), (4, 20, 0), (5, 20, 0)]);

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheGoldenRingWithALoanIsRead(Language language) =>
        ReceiveGolden(language, "ring-loan", "open-reader", [(1, 30, 1), (2, 3000, 1), (3, 30, 1)]);

    /// <summary>From the oldest on, over gaps, a loan, and the claim of a dead writer.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheGoldenTopicIsReadAndWrittenTo(Language language)
    {
        string name = peers.NewName("golden");
        peers.Directory.Place(name, File.ReadAllBytes(FileOf("topic", "region")));
        Driven reader = peers.At(language, "reader"), writer = peers.At(Matrix.Other(language), "writer");
        reader.Must($"open-subscriber 1 {name} open=existing join=oldest");
        writer.Must($"open-publisher 1 {name} open=existing");
        foreach ((int position, int type, int length) in new[] { (13, 3, 20), (14, 4, 20), (16, 6, 20), (17, 7, 3000) })
        {
            Answer message = reader.Must("read 1");
            Assert.Equal((position, type, length, Numbered.HashOfPattern((uint)type, length)),
                ((int)message["position"], (int)message["type"], (int)message["length"], (uint)message["hash"]));
        }
        Assert.Equal(IpcStatus.Empty, reader.Do("read 1").Status);
        reader.Must("release 1");
        for (int n = 0; n < 50; n++)
        {
            writer.Must($"write 1 {n} {n * 40} {n} timeout=600000");
            Assert.Equal(Numbered.HashOfPattern((uint)n, n * 40), (uint)reader.Must("read 1 timeout=600000")["hash"]);
            reader.Must("release 1");
        }
        peers.MustBeAsNew(name, "idle");
        reader.Must("close 1");
        writer.Must("close 1");
        File.Delete(peers.Directory.FileOf(name)); // it is persistent
    }

    /// <summary>The client comes again, and so does its server: what was acknowledged does not come, what was not does, and the numbers go on.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheGoldenNamedConnectionGoesOn(Language language)
    {
        const string Waiting = "timeout=600000";
        peers.Directory.Place("exchange~~trader-7", File.ReadAllBytes(FileOf("named", "region")));
        Driven client = peers.At(language, "client"), server = peers.At(Matrix.Other(language), "server");
        client.Must("open-named 1 exchange trader-7 login=again");
        Answer state = client.Must("named-state 1");
        Assert.Equal((0, 2, 0, 0, 1), (state["connected"], state["sent"], state["received"], state["acknowledged"], state["outstanding"]));
        Assert.Equal("monday welcome", state.Text);
        Assert.Equal(3, client.Must($"named-send 1 40 {Waiting}")["sequence"]);
        server.Must("open-named-listener 1 exchange identity=monday");
        client.Begin($"named-login 1 {Waiting}");
        int connection = (int)server.Must($"named-next 1 {Waiting}")["connection"];
        server.Must($"named-accept {connection} back");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        server.Must($"named-next 1 {Waiting}");
        foreach (int sequence in new[] { 2, 3 })
        {
            Answer message = server.Must($"named-receive {connection} {Waiting}");
            Assert.Equal((sequence, 0, sequence == 2 ? 20 : 40), (message["sequence"], message["redelivered"], message["length"]));
        }
        Assert.Equal(3, server.Must($"named-acknowledge {connection} 3")["acknowledged"]);
        Assert.Equal(1, server.Must($"named-send {connection} 30 {Waiting}")["sequence"]);
        server.Must($"named-return 1 {connection}");
        Assert.Equal((1, 0, 30), client.Must($"named-receive 1 {Waiting}") is var echo ? (echo["sequence"], echo["redelivered"], echo["length"]) : default);
        client.Must("named-acknowledge 1 1");
        client.Must("close 1");
        server.Must("close 1");
        server.Must("named-remove exchange trader-7");
    }

    /// <summary>Each death is told once for each thing that was held; an event that lets one pass does so.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheGoldenLocksAreTaken(Language language)
    {
        AssertTaken(language, "mutex", "acquire 1", IpcStatus.Abandoned);
        AssertTaken(language, "semaphore", "acquire 1", IpcStatus.Abandoned, IpcStatus.Abandoned, IpcStatus.Ok);
        AssertTaken(language, "event", "wait 1", IpcStatus.Ok);
    }

    private void AssertTaken(Language language, string kind, string take, params IpcStatus[] expected)
    {
        string name = peers.NewName("golden");
        peers.Directory.Place(name, File.ReadAllBytes(FileOf(kind, "region")));
        Driven peer = peers.At(language, "reader");
        peer.Must($"open-{kind} 1 {name} open=existing");
        foreach (IpcStatus status in expected)
            Assert.Equal(status, peer.Do($"{take} timeout=600000").Status);
        Assert.Equal(IpcStatus.Timeout, peer.Do($"{take} timeout=30").Status);
        for (int i = 0; i < expected.Length && kind != "event"; i++)
            peer.Must("release 1");
        peer.Must("close 1");
        File.Delete(peers.Directory.FileOf(name)); // it is persistent
    }

    private void ReceiveGolden(Language language, string golden, string open, (int Type, int Length, int Redelivered)[] expected)
    {
        string name = peers.NewName("golden");
        peers.Directory.Place(name, File.ReadAllBytes(FileOf(golden, "region")));
        Driven receiver = peers.At(language, "reader"), sender = peers.At(Matrix.Other(language), "writer");
        receiver.Must($"{open} 1 {name} open=existing");
        foreach ((int type, int length, int redelivered) in expected)
        {
            Answer message = receiver.Must("read 1");
            Assert.Equal((type, length, Numbered.HashOfPattern((uint)type, length), redelivered),
                ((int)message["type"], (int)message["length"], (uint)message["hash"], (int)message["redelivered"]));
            receiver.Must("release 1");
        }
        Assert.Equal(IpcStatus.Empty, receiver.Do("read 1").Status);
        sender.Must($"{open.Replace("reader", "writer", StringComparison.Ordinal)} 1 {name} open=existing");
        for (int n = 0; n < 50; n++)
        {
            sender.Must($"write 1 {n} {n * 40} {n} timeout=600000");
            Assert.Equal(Numbered.HashOfPattern((uint)n, n * 40), (uint)receiver.Must("read 1 timeout=600000")["hash"]);
            receiver.Must("release 1");
        }
        peers.MustBeAsNew(name, "empty");
        receiver.Must("close 1");
        sender.Must("close 1");
        File.Delete(peers.Directory.FileOf(name)); // it is persistent
    }

    /// <summary>Both languages make the same region, byte for byte: what differs is who made it, and when.</summary>
    [Theory]
    [InlineData("open-writer 1 {0} capacity=8192")]
    [InlineData("open-reader 1 {0} capacity=4096 lifetime=persistent")]
    [InlineData("open-writer 1 {0} capacity=8192 budget=100000")]
    [InlineData("open-queue 1 {0} block=100 count=50 expansions=3 distance=7 drop=1 participants=5 budget=1000000")]
    [InlineData("open-queue 1 {0} block=8 count=2 budget=none preallocate=1 expansions=1")]
    [InlineData("open-publisher 1 {0} block=100 count=50 readers=5 writers=3 budget=1000000")]
    [InlineData("open-publisher 1 {0} block=8 count=2 budget=none single=1 allowed=5")]
    [InlineData("open-mutex 1 {0}")]
    [InlineData("open-semaphore 1 {0} permits=5")]
    [InlineData("open-event 1 {0} manual=1 set=1")]
    public void ANewRegionIsTheSameInBothLanguages(string command)
    {
        byte[][] made = [.. Enum.GetValues<Language>().Select(language =>
        {
            string name = peers.NewName("new");
            Driven peer = peers.At(language, "victim");
            peer.Must(string.Format(System.Globalization.CultureInfo.InvariantCulture, command, name));
            byte[] bytes = peers.Directory.Read(name);
            peer.Must("close 1");
            File.Delete(peers.Directory.FileOf(name)); // when it is persistent
            return bytes;
        })];
        foreach (byte[] bytes in made)
        {
            Clear(bytes, Wire.Region.Id, 28); // id, created, creator_pid
            Clear(bytes, Wire.Region.Change, 4); // how often it was signalled,
            Clear(bytes, Wire.Region.Change + Wire.Waiter.FenceCount, 4); // and slept on: C# has a thread for that
            if (command.StartsWith("open-writer", StringComparison.Ordinal) || command.StartsWith("open-reader", StringComparison.Ordinal))
                Clear(bytes, (int)BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(Wire.Region.BodyOffset)) + Wire.Ring.Space, 4);
            for (int entry = Wire.Region.Participants; entry < (int)BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(Wire.Region.BodyOffset)); entry += Wire.Participant.Size)
            {
                if (bytes[entry] == 0)
                    continue;
                Clear(bytes, entry + Wire.Participant.Pid, 4);
                Clear(bytes, entry + Wire.Participant.StartTime, 16);
                Clear(bytes, entry + Wire.Participant.PidNamespace, 12);
                Clear(bytes, entry + Wire.Participant.RoomSpin, 8); // a queue in C learns that apart
            }
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
                listener.U64(slots + 3 * Wire.Listener.SlotSize, 0xC1UL << Wire.Listener.SlotIdShift | Wire.Listener.Requested);
                listener.U64((int)listener.U64((int)listener.U64(Wire.Region.BodyOffset) + Wire.Listener.ReadyOffset), 1 << 3);
                return listener;
            case "queue":
                QueueImage queue = RegionImage.Queue(slots: 8, segmentLimit: 3).Stand(0, head: 10, tail: 14)
                    .Put(0, 8, Wire.Slot.Reading, type: 1, owner: 2).Put(0, 9, Wire.Slot.Ready, type: 2, flags: Wire.Slot.Redelivered)
                    .Put(0, 10, Wire.Slot.Ready, type: 3, owner: 1).Put(0, 11, Wire.Slot.Ready, type: 4, owner: 1).Lend(0, 11, 3000)
                    .Put(0, 12, Wire.Slot.Writing, owner: 1).Put(0, 13, Wire.Slot.Ready, type: 5, owner: 2);
                RegionImage.AddParticipant(queue, 0, Wire.Participant.RoleWriter | Wire.Participant.RoleReader, runtime: 1);
                RegionImage.AddParticipant(queue, 1, Wire.Participant.RoleWriter | Wire.Participant.RoleReader, runtime: 2);
                queue.U64(queue.Body + Wire.Queue.Orphans, 1);
                queue.U64(queue.Body + Wire.Queue.RedeliveredCount, 1);
                queue[Wire.Region.Recoveries] = 1;
                return queue;
            case "queue-grown":
                QueueImage grown = RegionImage.Queue(slots: 4, segmentLimit: 3).Stand(0, head: 6, tail: 6, next: (2 << 16) | 1)
                    .Stand(1, head: 1, tail: 4, next: (3 << 16) | 2).Stand(2, head: 0, tail: 2)
                    .Put(1, 1, Wire.Slot.Ready, type: 1, owner: 1).Put(1, 2, Wire.Slot.Ready, type: 2, owner: 2).Put(1, 3, Wire.Slot.Ready, type: 3, owner: 1)
                    .Put(2, 0, Wire.Slot.Ready, type: 4, owner: 1).Put(2, 1, Wire.Slot.Ready, type: 5, owner: 2);
                grown.Seal(0, 6);
                grown.Seal(1, 4);
                grown[grown.Body + Wire.Queue.Segments] = 3;
                grown.U64(grown.Body + Wire.Queue.Send, (3 << 16) | 2);
                grown.U64(grown.Body + Wire.Queue.Receive, (2 << 16) | 1);
                return grown;
            case "topic":
                TopicImage topic = RegionImage.Topic(slots: 8).Put(11, Wire.Slot.Ready, type: 1).Put(12, Wire.Slot.Gap, flags: Wire.Slot.Reclaimed)
                    .Put(13, Wire.Slot.Ready, type: 3, key: 77).Put(14, Wire.Slot.Ready, type: 4, owner: 3).Put(15, Wire.Slot.Gap)
                    .Put(16, Wire.Slot.Ready, type: 6).Put(17, Wire.Slot.Ready, type: 7).Lend(17, 3000).Put(18, Wire.Slot.Writing)
                    .Read(1, state: 0x501, policy: 0, cursor: 14, joined: 9);
                topic.U64(topic.Body + Wire.Topic.Tail, 19);
                topic.U64(topic.Body + Wire.Topic.Evictions, 2);
                RegionImage.AddParticipant(topic, 0, Wire.Participant.RoleWriter, runtime: 1);
                RegionImage.AddParticipant(topic, 1, Wire.Participant.RoleReader, runtime: 2);
                return topic;
            case "ring-loan":
                RingImage loan = RegionImage.RingWithPool().StartAt(4 * 4096 - 640);
                byte[] small = new byte[30];
                RegionImage.FillPattern(small, 1);
                loan.Add(small, 1);
                ulong record = loan.Tail;
                loan.Add(RegionImage.PublishLoan(loan, loan.Bytes.Length - RegionImage.PoolSize, record, 2, 3000), 2);
                loan.U64(loan.At(record), loan.U64(loan.At(record)) | Wire.Ring.Loan);
                RegionImage.FillPattern(small, 3);
                loan.Add(small, 3);
                loan[loan.Ring + Wire.Ring.WriterState] = Wire.Ring.Left;
                loan[loan.Ring + Wire.Ring.ReaderState] = Wire.Ring.Died;
                return loan;
            case "named":
                // The server acknowledged the first message, had not returned its space, and left; then the client died.
                Image named = RegionImage.Named("exchange", "trader-7", "monday", "secret", "welcome");
                var toServer = new RingImage(named.Bytes, (int)named.U64((int)named.U64(Wire.Region.BodyOffset) + Wire.Named.ToServer));
                toServer.Add(RegionImage.NamedMessage(1, 20), 7);
                toServer.U64(toServer.Ring + Wire.Ring.ReadPosition, toServer.Tail);
                toServer.U64(toServer.Ring + Wire.Ring.Acknowledged, 1);
                return toServer.Add(RegionImage.NamedMessage(2, 20), 7);
            case "mutex":
                return WithDeadHolder(RegionImage.Mutex(owner: 1));
            case "semaphore":
                return WithDeadHolder(RegionImage.Semaphore(1, Wire.Sync.MutexAbandoned, 0));
            case "event":
                return RegionImage.Event(manual: false, set: true);
            default:
                return RegionImage.Connection(0xC1, 3);
        }
    }

    private static Image WithDeadHolder(Image image)
    {
        RegionImage.AddParticipant(image, 0, Wire.Participant.RoleWriter | Wire.Participant.RoleReader, runtime: 1);
        return image;
    }
}
