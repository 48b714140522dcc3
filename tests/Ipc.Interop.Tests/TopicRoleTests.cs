using System;
using System.Globalization;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Who comes to a topic, who leaves it, who dies at it, and who is refused.</summary>
public sealed class TopicRoleTests(Peers peers)
{
    private const string Long = "timeout=600000";

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ReadersHaveAMaximumAndTheTableIsAsNewAfterwards(Language one, Language other)
    {
        using var topic = new TopicPair(peers, one, other, "block=64 count=8 readers=3 writers=2", "policy=lossy");
        Driven crowd = peers.At(other, "crowd");
        crowd.Must($"open-subscriber 1 {topic.Name} open=existing policy=lossy");
        crowd.Must($"open-subscriber 2 {topic.Name} open=existing policy=lossy");
        Answer refused = crowd.Do($"open-subscriber 3 {topic.Name} open=existing policy=lossy");
        Assert.Equal(IpcStatus.TableFull, refused.Status);
        Assert.Contains("3", refused.Text, StringComparison.Ordinal);
        crowd.Must($"open-publisher 4 {topic.Name} open=existing"); // writers have room of their own
        Assert.Equal(IpcStatus.TableFull, crowd.Do($"open-publisher 5 {topic.Name} open=existing").Status);
        crowd.Must("close 2");
        for (int round = 0; round < (Switches.LongRuns ? 10_000 : 100); round++)
        {
            crowd.Must($"open-subscriber 3 {topic.Name} open=existing");
            topic.MustWrite(1, 20, 1);
            Assert.Equal(1, crowd.Must("read 3")["type"]);
            crowd.Must("close 3");
            topic.MustRead(1, 20, 1);
        }
        using (Driven dying = peers.New(one))
        {
            dying.Must($"open-subscriber 1 {topic.Name} open=existing");
            dying.Kill();
        }
        crowd.Must($"open-subscriber 2 {topic.Name} open=existing policy=lossy"); // the dead one's place
        foreach (int id in new[] { 1, 2, 4 })
            crowd.Must($"close {id}");
    }

    /// <summary>A writer that dies with a claim leaves a gap, which readers pass.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ADeadWritersClaimIsAGap(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=64 count=8 wait=block", "wait=block");
        using (Driven dying = peers.New(Matrix.Other(writer)))
        {
            dying.Must($"open-publisher 1 {topic.Name} open=existing");
            dying.Must("write 1 1 20 1");
            dying.Must("claim 1 20");
            topic.MustWrite(2, 20, 2);
            topic.MustRead(1, 20, 1);
            Assert.Equal(IpcStatus.Empty, topic.Reader.Do("read 1").Status); // order: what stands behind an open claim waits for it
            topic.Reader.Begin($"read 1 {Long}");
            topic.Reader.WaitUntilAsleep();
            Assert.False(topic.Reader.HasAnswered);
            dying.Kill();
        }
        Assert.Equal(2, topic.Reader.Result()["type"]);
        topic.Reader.Must("release 1");
        for (int n = 0; n < 20; n++)
        {
            topic.MustWrite((uint)n, 20, n);
            topic.MustRead((uint)n, 20, n);
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ASecondWriterOfARouteIsRefusedUntilTheFirstIsGone(Language first, Language second)
    {
        string name = peers.NewName("topic");
        Driven rival = peers.At(second, "writer0");
        using (Driven owner = peers.New(first))
        {
            owner.Must($"open-publisher 1 {name} single=1 lifetime=persistent count=16");
            Answer refused = rival.Do($"open-publisher 1 {name} open=existing");
            Assert.Equal(IpcStatus.InUse, refused.Status);
            Assert.Contains(owner.ProcessId.ToString(CultureInfo.InvariantCulture), refused.Text, StringComparison.Ordinal);
            owner.Stop();
            Assert.Equal(IpcStatus.InUse, rival.Do($"open-publisher 1 {name} open=existing").Status);
            owner.Kill();
        }
        rival.Must($"open-publisher 1 {name} open=existing");
        rival.Must("close 1");
        rival.Must($"clear {name}");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void APolicyThatTheCreatorDoesNotAllowIsRefused(Language creator, Language other)
    {
        string name = peers.NewName("topic");
        Driven writer = peers.At(creator, "writer0"), reader = peers.At(other, "reader0");
        writer.Must($"open-publisher 1 {name} count=16 allowed=12"); // lossy and latest
        Answer refused = reader.Do($"open-subscriber 1 {name} open=existing policy=reliable");
        Assert.NotEqual(IpcStatus.Ok, refused.Status);
        Assert.NotEqual("", refused.Text);
        reader.Must($"open-subscriber 1 {name} open=existing policy=lossy");
        reader.Must("close 1");
        writer.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ATopicIsNotAQueue(Language creator, Language other)
    {
        string name = peers.NewName("topic");
        Driven owner = peers.At(creator, "writer0"), wrong = peers.At(other, "reader0");
        owner.Must($"open-publisher 1 {name} count=16 budget=65536");
        byte[] before = peers.Directory.ReadOfLive(name);
        foreach (string open in new[] { "open-queue", "open-reader", "open-mutex", "open-semaphore" })
            Assert.Equal(IpcStatus.WrongKind, wrong.Do($"{open} 1 {name} open=existing").Status);
        Assert.Equal(before, peers.Directory.ReadOfLive(name));
        owner.Must("close 1");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ComingLeavingAndDyingAreTold(Language watcher, Language other)
    {
        const int Attached = 1, Left = 2, Died = 3;
        string name = peers.NewName("topic");
        Driven watching = peers.At(watcher, "writer0");
        watching.Must($"open-publisher 1 {name} count=16");
        using (Driven coming = peers.New(other))
        {
            coming.Must($"open-subscriber 1 {name} open=existing");
            QueueRoleTests.Next(watching, Attached, coming.ProcessId);
            coming.Must("close 1");
            QueueRoleTests.Next(watching, Left, coming.ProcessId);
            coming.Must($"open-publisher 1 {name} open=existing");
            QueueRoleTests.Next(watching, Attached, coming.ProcessId);
            coming.Kill();
            QueueRoleTests.Next(watching, Died, coming.ProcessId);
        }
        watching.Must("close 1");
    }

    /// <summary>What a crash leaves is gone with the next start; a persistent topic keeps its messages for who joins at the oldest.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ExitWithoutDisposeLeavesNothingButWhatIsPersistent(Language first, Language second)
    {
        foreach (bool persistent in new[] { false, true })
        {
            string name = peers.NewName("topic");
            using (Driven dying = peers.New(first))
            {
                dying.Must($"open-publisher 1 {name} count=16 lifetime={(persistent ? "persistent" : "while-used")}");
                dying.Must($"open-subscriber 2 {name} open=existing");
                dying.Must("write 1 1 10 1");
                dying.Must("claim 1 10");
                dying.Kill();
            }
            Driven next = peers.At(second, "reader0");
            Assert.Equal(persistent ? IpcStatus.Ok : IpcStatus.NotFound, next.Do($"open-subscriber 1 {name} open=existing join=oldest").Status);
            if (persistent)
            {
                Assert.Equal(1, next.Must("read 1")["type"]);
                Assert.Equal(IpcStatus.Empty, next.Do("read 1").Status);
                peers.MustBeAsNew(name, "idle");
                next.Must("close 1");
                next.Must($"clear {name}");
            }
            Assert.Empty(peers.Directory.FilesOf(name));
        }
    }
}
