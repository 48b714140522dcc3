using System;
using System.Globalization;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Who may attach, who has left, who has died: each side learns it from the other's language.</summary>
public sealed class RingRoleTests(Peers peers)
{
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ASecondLiveWriterIsRefusedAndAcceptedAtOnceAfterAKill(Language first, Language second)
    {
        string name = peers.NewName("role");
        Driven reader = peers.At(second, "reader"), rival = peers.At(second, "writer");
        reader.Must($"open-reader 1 {name}");
        using (Driven owner = peers.New(first))
        {
            owner.Must($"open-writer 1 {name}");
            Answer refused = rival.Do($"open-writer 1 {name}");
            Assert.Equal(IpcStatus.InUse, refused.Status);
            Assert.Contains(owner.ProcessId.ToString(CultureInfo.InvariantCulture), refused.Text, StringComparison.Ordinal);
            owner.Stop(); // a stopped process is alive: it keeps its role
            Assert.Equal(IpcStatus.InUse, rival.Do($"open-writer 1 {name}").Status);
            owner.Kill();
            rival.Must($"open-writer 1 {name}");
        }
        rival.Must("write 1 7 10 1");
        Assert.Equal(IpcStatus.Ok, reader.Do("read 1 timeout=600000").Status);
        rival.Must("close 1");
        reader.Must("close 1");
        Assert.Empty(peers.Directory.LeftOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ASecondLiveReaderIsRefusedAndAcceptedAtOnceAfterAKill(Language first, Language second)
    {
        string name = peers.NewName("role");
        Driven writer = peers.At(second, "writer"), rival = peers.At(second, "reader");
        writer.Must($"open-writer 1 {name}");
        using (Driven owner = peers.New(first))
        {
            owner.Must($"open-reader 1 {name}");
            Answer refused = rival.Do($"open-reader 1 {name}");
            Assert.Equal(IpcStatus.InUse, refused.Status);
            Assert.Contains(owner.ProcessId.ToString(CultureInfo.InvariantCulture), refused.Text, StringComparison.Ordinal);
            owner.Kill();
            rival.Must($"open-reader 1 {name}");
        }
        writer.Must("write 1 7 10 1");
        Assert.Equal(IpcStatus.Ok, rival.Do("read 1 timeout=600000").Status);
        writer.Must("close 1");
        rival.Must("close 1");
        Assert.Empty(peers.Directory.LeftOf(name));
    }

    /// <summary>What a dead reader had read and not released comes again, with the flag; what it released does not.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ADeadReadersUnreleasedRecordsComeAgainFlagged(Language writer, Language reader)
    {
        string name = peers.NewName("role");
        Driven sender = peers.At(writer, "writer"), next = peers.At(reader, "reader");
        sender.Must($"open-writer 1 {name}");
        using (Driven dying = peers.New(Matrix.Other(reader)))
        {
            dying.Must($"open-reader 1 {name}");
            for (int n = 1; n <= 4; n++)
                sender.Must($"write 1 {n} 10 {n}");
            Assert.Equal(1, dying.Must("read 1 timeout=600000")["type"]);
            dying.Must("release 1");
            Assert.Equal(2, dying.Must("read 1 timeout=600000")["type"]);
            dying.Kill();
        }
        next.Must($"open-reader 1 {name}");
        sender.Must("write 1 5 10 5"); // published after the take-over: new to everybody
        for (int n = 2; n <= 5; n++)
        {
            Answer record = next.Must("read 1 timeout=600000");
            Assert.Equal((n, n < 5 ? 1 : 0), ((int)record["type"], (int)record["redelivered"]));
        }
        sender.Must("close 1");
        next.Must("close 1");
        Assert.Empty(peers.Directory.LeftOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AttachingBeforeTheCreatorWaitsForIt(Language early, Language late)
    {
        string name = peers.NewName("role");
        Driven waiting = peers.At(early, "reader"), creator = peers.At(late, "writer");
        waiting.Begin($"open-reader 1 {name} open=existing timeout=600000");
        waiting.WaitUntilAsleep();
        Assert.False(waiting.HasAnswered);
        creator.Must($"open-writer 1 {name} open=create");
        Assert.Equal(IpcStatus.Ok, waiting.Result().Status);
        creator.Must("write 1 1 10 1");
        Assert.Equal(IpcStatus.Ok, waiting.Do("read 1 timeout=600000").Status);
        creator.Must("close 1");
        waiting.Must("close 1");
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AttachingWithoutACreatorEndsWithNotFound(Language language)
    {
        Driven peer = peers.At(language, "reader");
        string name = peers.NewName("nobody");
        Assert.Equal(IpcStatus.NotFound, peer.Do($"open-reader 1 {name} open=existing").Status);
        Answer late = peer.Do($"open-writer 1 {name} open=existing timeout=50");
        Assert.Equal(IpcStatus.NotFound, late.Status);
        Assert.Contains(name, late.Text, StringComparison.Ordinal);
        Assert.Empty(peers.Directory.LeftOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void CreatingWhatExistsIsRefused(Language first, Language second)
    {
        string name = peers.NewName("role");
        Driven owner = peers.At(first, "writer"), rival = peers.At(second, "reader");
        owner.Must($"open-writer 1 {name} open=create");
        Assert.Equal(IpcStatus.Exists, rival.Do($"open-reader 1 {name} open=create").Status);
        owner.Must("close 1");
        rival.Must($"open-reader 1 {name} open=create");
        rival.Must("close 1");
    }

    /// <summary>The creator is a participant like the others: the region lives on without it.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheCreatorLeavesAndTheOthersGoOn(Language creator, Language other)
    {
        string name = peers.NewName("role");
        Driven first = peers.At(creator, "writer"), reader = peers.At(other, "reader"), second = peers.At(other, "writer2");
        first.Must($"open-writer 1 {name} open=create capacity=8192");
        reader.Must($"open-reader 1 {name} open=existing");
        first.Must("write 1 1 10 1");
        first.Must("close 1");
        Assert.Equal(1, reader.Must("read 1 timeout=600000")["type"]);
        Assert.Equal(IpcStatus.PeerClosed, reader.Do("read 1 timeout=600000").Status);
        second.Must($"open-writer 1 {name} open=existing");
        Assert.Equal(8192, second.Must("capacity 1")["capacity"]);
        second.Must("write 1 2 10 2");
        reader.Must("release 1");
        Assert.Equal(2, reader.Must("read 1 timeout=600000")["type"]);
        second.Must("close 1");
        reader.Must("close 1");
        Assert.Empty(peers.Directory.LeftOf(name));
    }

    /// <summary>A reader that waits for the next writer would else sleep over the records of one that died before it was looked at.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WaitingForAWriterEndsWithWhatADeadOneHasLeft(Language one, Language other)
    {
        string name = peers.NewName("role");
        Driven reader = peers.At(one, "reader");
        reader.Must($"open-reader 1 {name}");
        using (Driven writer = peers.New(other))
        {
            writer.Must($"open-writer 1 {name}");
            writer.Must("write 1 3 10 3");
            writer.Kill();
        }
        Watchdog.Until(() => reader.Must("peer 1")["state"] == 3, "the reader to know of the death");
        reader.Begin("wait-peer 1 timeout=600000");
        Assert.Equal(IpcStatus.Ok, reader.Result().Status);
        reader.Begin("read 1 timeout=600000");
        Assert.Equal(3, reader.Result()["type"]);
        reader.Must("release 1");
        reader.Begin("wait-peer 1 timeout=20");
        Assert.Equal(IpcStatus.Timeout, reader.Result().Status);
        reader.Must("close 1");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void EachSideKnowsWhetherTheOtherIsThereHasLeftOrDied(Language one, Language other)
    {
        const int Never = 0, Live = 1, Left = 2, Died = 3;
        string name = peers.NewName("role");
        Driven reader = peers.At(one, "reader");
        reader.Must($"open-reader 1 {name}");
        Assert.Equal(Never, reader.Must("peer 1")["state"]);
        using (Driven writer = peers.New(other))
        {
            reader.Begin("wait-peer 1 timeout=600000");
            writer.Must($"open-writer 1 {name}");
            Assert.Equal(IpcStatus.Ok, reader.Result().Status);
            Assert.Equal((Live, Live), ((int)reader.Must("peer 1")["state"], (int)writer.Must("peer 1")["state"]));
            writer.Must("close 1");
            Assert.Equal(Left, reader.Must("peer 1")["state"]);
            writer.Must($"open-writer 1 {name}");
            writer.Must("write 1 3 10 3");
            reader.Begin("read 1 timeout=600000");
            Assert.Equal(3, reader.Result()["type"]);
            reader.Begin("read 1 timeout=600000");
            writer.Kill();
        }
        Assert.Equal(IpcStatus.PeerDied, reader.Result().Status);
        Assert.Equal(Died, reader.Must("peer 1")["state"]);
        reader.Must("close 1");
        Assert.Empty(peers.Directory.LeftOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AWriterThatWaitsForRoomLearnsThatTheReaderIsGone(Language writer, Language reader)
    {
        foreach ((bool kill, IpcStatus expected) in new[] { (true, IpcStatus.PeerDied), (false, IpcStatus.PeerClosed) })
        {
            string name = peers.NewName("role");
            Driven sender = peers.At(writer, "writer");
            sender.Must($"open-writer 1 {name} capacity=4096");
            using (Driven gone = peers.New(reader))
            {
                gone.Must($"open-reader 1 {name}");
                sender.Begin("send 1 1 1000 500 timeout=600000");
                sender.WaitUntilAsleep();
                if (kill)
                    gone.Kill();
                else
                    gone.Must("close 1");
                Assert.Equal(expected, sender.Result().Status);
            }
            sender.Must("close 1");
            Assert.Empty(peers.Directory.LeftOf(name));
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WaitsEndAtTheirDeadlineAndWhenStopped(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        Assert.Equal(IpcStatus.Timeout, ring.Read("read", "timeout=30").Status);
        Assert.Equal(IpcStatus.Timeout, ring.Read("wait", "timeout=30").Status);
        ring.Read("stop");
        Assert.Equal(IpcStatus.Stopped, ring.Read("read", "timeout=600000").Status);
        ring.Read("resume");
        ring.MustWrite(1, 10, 1);
        Assert.Equal(IpcStatus.Ok, ring.Read("wait", "timeout=600000").Status);
        ring.MustRead(1, 10, 1);
        Answer full = ring.Write("send", "1 1000 500 timeout=100");
        Assert.Equal(IpcStatus.Timeout, full.Status);
        ring.Write("stop");
        Assert.Equal(IpcStatus.Stopped, ring.Write("claim", "500 timeout=600000").Status);
        ring.Write("resume");
    }

    /// <summary>A persistent ring keeps its records while nobody is attached, whoever made it and whoever comes back.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void APersistentRingOutlivesEverybody(Language writer, Language reader)
    {
        string name = peers.NewName("role");
        Driven sender = peers.At(writer, "writer"), receiver = peers.At(reader, "reader");
        sender.Must($"open-writer 1 {name} lifetime=persistent capacity=65536");
        sender.Must("send 1 1 100 300 timeout=1000");
        sender.Must("close 1");
        Assert.True(peers.Directory.Has(name));
        receiver.Must($"open-reader 1 {name} open=existing");
        Assert.Equal(IpcStatus.Ok, receiver.Do("receive 1 1 100 300 timeout=600000").Status);
        receiver.Must("close 1");
        Assert.True(peers.Directory.Has(name));
        System.IO.File.Delete(peers.Directory.FileOf(name));
    }
}
