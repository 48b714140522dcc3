using System;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Steps that docs/wire-format.md once left to the implementation, and in which the two libraries differed.</summary>
public sealed class OneMeaningTests(Peers peers)
{
    private const string Long = "timeout=600000";

    /// <summary>Section 10, Writing: who sleeps on `space` waits for a reader or a loan, and a commit brings neither.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ACommitOfATopicSignalsDataAndNotSpace(Language language)
    {
        string name = peers.NewName("topic");
        Driven writer = peers.At(language, "sender");
        KindPair.Open("topic", writer, name, sends: true, "budget=none");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            foreach (string end in new[] { "commit 1 8 1", "abandon 1" })
            {
                writer.Must("claim 1 8");
                region[region.Body + Wire.Topic.Data] |= 1;
                region[region.Body + Wire.Topic.Space] |= 1;
                writer.Must(end);
                Assert.Equal((0u, 1u), (region[region.Body + Wire.Topic.Data] & 1, region[region.Body + Wire.Topic.Space] & 1));
            }
        }

        writer.Must("close 1");
    }

    /// <summary>Section 9, Growth: a sender that waits only tries the region lock, and tries again although nobody signals that it is free.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ASenderThatWaitsTriesTheRegionLockAgain(Language language)
    {
        string name = peers.NewName("queue");
        Driven sender = peers.At(language, "sender");
        sender.Must($"open-queue 1 {name} block=64 count=2 expansions=1 budget=none wait=block lifetime=while-used");
        sender.Must("write 1 1 8 1");
        sender.Must("write 1 2 8 2");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            Watchdog.Until(() => region.TryLock(Wire.Region.LockOfRegion), "the region lock to be free");
            sender.Begin($"write 1 3 8 3 {Long}");
            Watchdog.Until(() => (region[region.Body + Wire.Queue.Space] & 1) != 0, "the sender to go to sleep");
            Assert.False(sender.HasAnswered);
            region.Unlock(Wire.Region.LockOfRegion);
            Assert.Equal(IpcStatus.Ok, sender.Result().Status);
        }

        sender.Must("close 1");
    }

    /// <summary>Section 9, Growth: a segment at whose tail a slot is held would be full at once, and takes no turn.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ASegmentWhoseNextSlotIsHeldIsPassedOver(Language language)
    {
        string name = peers.NewName("queue"), open = $"open-queue 1 {name} block=64 count=2 expansions=2 budget=none lifetime=while-used";
        Driven sender = peers.At(language, "sender"), slow = peers.At(language, "slow"), quick = peers.At(language, "receiver");
        foreach (Driven each in new[] { sender, slow, quick })
            each.Must(open);
        for (int i = 1; i <= 4; i++)
            sender.Must($"write 1 {i} 8 {i}"); // the first segment is full, and the second
        Assert.Equal(1, slow.Must("read 1")["type"]); // the slot where the first one's next turn would begin
        Assert.Equal(2, quick.Must("read 1")["type"]);
        quick.Must("release 1");
        Assert.Equal(3, quick.Must("read 1")["type"]); // receivers are in the second segment by now
        sender.Must("write 1 5 8 5");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
            Assert.Equal(3ul << 16 | 2, region.U64(region.Body + Wire.Queue.Send)); // the third turn, in the third segment
        foreach (Driven each in new[] { sender, slow, quick })
            each.Must("close 1");
    }

    /// <summary>Section 5, Listening: only while the server lives does a client that comes leave the others to it.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AClientThatFindsTheServerDeadRecoversEverybody(Language language)
    {
        const int DeadClient = 5, LiveClient = 6;
        string name = peers.NewName("listener");
        using Driven server = peers.New(Language.C);
        server.Must($"listen 1 {name}");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            Assert.True(region.TryLock(Wire.Region.LockOfParticipant + LiveClient));
            region[EntryOf(DeadClient)] = region[EntryOf(LiveClient)] = 1;
            region.U64(SlotOf(region, DeadClient), 77ul << Wire.Listener.SlotIdShift | Wire.Listener.Attached); // no suspect
            server.Kill();
            Assert.Equal(IpcStatus.NotFound, peers.At(language, "client").Do($"connect 2 {name}").Status);
            Assert.Equal(2u, region[Wire.Region.Recoveries]);
            Assert.Equal((0u, 2u), (region[EntryOf(0)], region[EntryOf(0) + Wire.Participant.Ended]));
            Assert.Equal((0u, 2u), (region[EntryOf(DeadClient)], region[EntryOf(DeadClient) + Wire.Participant.Ended]));
            Assert.Equal((1u, Wire.Region.StateLive), (region[EntryOf(LiveClient)], region[Wire.Region.State]));
            Assert.Equal(Wire.Listener.ServerClosed, region[region.Body + Wire.Listener.ServerState]);
        }

        File.Delete(peers.Directory.FileOf(name));
    }

    /// <summary>Section 5, Listening: what a left-over's slots name goes with it. What only looks so may be anybody's.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ANewServerRemovesWhatTheSlotsNameAndNothingElse(Language language)
    {
        const ulong Asked = 0xA, Asking = 0xB, Other = 0xC;
        string name = peers.NewName("listener");
        using (Driven dying = peers.New(Language.CSharp))
        {
            dying.Must($"listen 1 {name}");
            using var region = new LiveRegion(peers.Directory.FileOf(name));
            region.U64(SlotOf(region, 1), Asked << Wire.Listener.SlotIdShift | Wire.Listener.Requested);
            region.U64(SlotOf(region, 2), Asking << Wire.Listener.SlotIdShift | Wire.Listener.Opening);
            dying.Kill();
        }

        foreach (ulong id in new[] { Asked, Asking, Other })
            peers.Directory.Place($"{name}~{id:x16}", new byte[16]);
        Driven server = peers.At(language, "server");
        server.Must($"listen 1 {name}");
        string other = $"{name}~{Other:x16}";
        Assert.Equal(new[] { name, other }, peers.Directory.FilesOf(name).Select(static file => Path.GetFileName(file)!).Order(StringComparer.Ordinal));
        server.Must("close 1");
        File.Delete(peers.Directory.FileOf(other));
    }

    /// <summary>Section 11, Sweep: a ring's pool is swept by who takes the role over, and not by who finds the dead.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ARingKeepsWhatADeadWriterHadTakenUntilTheNextOne(Language recovering, Language next)
    {
        string name = peers.NewName("ring");
        Driven reader = peers.At(recovering, "receiver"), writer = peers.At(next, "sender");
        using (Driven dying = peers.New(next))
        {
            KindPair.Open("ring", dying, name, sends: true, "budget=65536 lifetime=while-used");
            KindPair.Open("ring", reader, name, sends: false, "budget=65536 lifetime=while-used");
            dying.Must("claim 1 3000");
            reader.Begin($"read 1 {Long}");
            dying.Kill();
        }

        Assert.Equal(IpcStatus.PeerDied, reader.Result().Status); // recovered, for the state of its role says so
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            long block = (long)region.U64(region.Body + Wire.Ring.PoolOffset) + Wire.Pool.Blocks + Wire.Pool.BlockState;
            Assert.Equal((ulong)Wire.Pool.Owned, region.U64(block) & 0xFF);
            KindPair.Open("ring", writer, name, sends: true, "budget=65536");
            Assert.Equal((ulong)Wire.Pool.Free, region.U64(block) & 0xFF);
        }

        writer.Must("close 1");
        reader.Must("close 1");
    }

    private static long EntryOf(int index) => Wire.Region.Participants + index * Wire.Participant.Size;

    private static long SlotOf(LiveRegion region, int index) =>
        (long)region.U64(region.Body + Wire.Listener.SlotsOffset) + index * Wire.Listener.SlotSize;
}
