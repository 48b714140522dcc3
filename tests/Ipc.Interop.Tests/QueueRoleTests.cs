using System;
using System.Globalization;
using System.IO;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Who comes to a queue, who leaves it, who dies at it and who only stands still.</summary>
public sealed class QueueRoleTests(Peers peers)
{
    private const string Long = "timeout=600000";

    /// <summary>What a dead receiver held comes again, before anything else, with the flag, to whoever asks.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatADeadReceiverHeldComesAgainFlagged(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=16 budget=1048576");
        for (int n = 0; n < 5; n++)
            queue.One.Must($"write 1 {n} {(n == 1 ? 5000 : 20)} {n}"); // one of them is a loan
        using (Driven dying = peers.New(Matrix.Other(receiver)))
        {
            dying.Must($"open-queue 1 {queue.Name} open=existing");
            for (int n = 0; n < 3; n++)
                Assert.Equal(n, dying.Must("read 1")["type"]);
            dying.Must("release 1");
            dying.Kill();
        }
        Watchdog.Until(() => queue.Other.Must("participants 1")["count"] == 2, "the dead receiver to be noticed");
        Assert.Equal(2, queue.One.Must("info 1")["redelivered"]);
        queue.MustRead(1, 5000, 1, redelivered: true);
        queue.MustRead(2, 20, 2, redelivered: true);
        queue.MustRead(3, 20, 3);
        queue.MustRead(4, 20, 4);
        Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
    }

    /// <summary>A receiver that sleeps on an empty queue is woken by the death of another that held a message.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ASleepingReceiverGetsWhatADeadOneHeld(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=16 wait=block");
        queue.One.Must("write 1 7 20 7");
        using (Driven dying = peers.New(Matrix.Other(receiver)))
        {
            dying.Must($"open-queue 1 {queue.Name} open=existing");
            Assert.Equal(7, dying.Must("read 1")["type"]);
            queue.Other.Begin($"read 1 {Long}");
            queue.Other.WaitUntilAsleep();
            Assert.False(queue.Other.HasAnswered);
            dying.Kill();
        }
        Answer answer = queue.Other.Result();
        Assert.Equal((7, 1), ((int)answer["type"], (int)answer["redelivered"]));
        queue.Other.Must("release 1");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void OrphansAreDroppedWhenTheCreatorWantsItSo(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=4 drop=1");
        for (int n = 0; n < 3; n++)
            queue.One.Must($"write 1 {n} 20 {n}");
        using (Driven dying = peers.New(Matrix.Other(receiver)))
        {
            dying.Must($"open-queue 1 {queue.Name} open=existing");
            Assert.Equal(0, dying.Must("read 1")["type"]);
            Assert.Equal(1, dying.Must("read 1")["type"]);
            dying.Kill();
        }
        Watchdog.Until(() => queue.Other.Must("participants 1")["count"] == 2, "the dead receiver to be noticed");
        Assert.Equal(2, queue.One.Must("info 1")["dropped"]);
        queue.MustRead(2, 20, 2);
        Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
        for (int n = 0; n < 4; n++) // every block is there again
            queue.One.Must($"write 1 {n} 20 {n}");
        for (int n = 0; n < 4; n++)
            queue.MustRead((uint)n, 20, n);
    }

    /// <summary>Who leaves orderly with messages in its hands gives them back like a dead one.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatALeaverHoldsComesAgain(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=4");
        Driven leaving = peers.At(Matrix.Other(receiver), "leaver");
        leaving.Must($"open-queue 1 {queue.Name} open=existing");
        queue.One.Must("write 1 1 20 1");
        queue.One.Must("write 1 2 20 2");
        Assert.Equal(1, leaving.Must("read 1")["type"]);
        leaving.Must("claim 1 20");
        leaving.Must("close 1");
        queue.MustRead(1, 20, 1, redelivered: true);
        queue.MustRead(2, 20, 2);
        Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
    }

    /// <summary>A sender that dies with a claim, or stops in it, holds up nobody; the dead one's block comes back.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AStalledSenderHoldsUpNobodyElse(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=8");
        using (Driven stalled = peers.New(Matrix.Other(sender)))
        {
            stalled.Must($"open-queue 1 {queue.Name} open=existing");
            stalled.Must("claim 1 20");
            stalled.Stop();
            for (int n = 0; n < 5; n++)
                queue.One.Must($"write 1 {n} 20 {n}");
            for (int n = 0; n < 5; n++)
                queue.MustRead((uint)n, 20, n);
            stalled.Continue();
            stalled.Must("fill 1 9");
            stalled.Must("commit 1 20 9"); // nobody took its block away
            queue.MustRead(9, 20, 9);
            stalled.Must("claim 1 20");
            stalled.Kill();
        }
        for (int n = 0; n < 20; n++)
        {
            queue.One.Must($"write 1 {n} 20 {n} {Long}");
            queue.MustRead((uint)n, 20, n);
        }
    }

    /// <summary>A stopped receiver is alive: what it holds stays its own for as long as it stands still.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AStoppedReceiverKeepsWhatItHolds(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=8");
        queue.One.Must("write 1 1 20 1");
        using Driven stopped = peers.New(Matrix.Other(receiver));
        stopped.Must($"open-queue 1 {queue.Name} open=existing");
        Assert.Equal(1, stopped.Must("read 1")["type"]);
        stopped.Stop();
        Assert.Equal(IpcStatus.Timeout, queue.Other.Do("read 1 timeout=200").Status);
        using (Driven passer = peers.New(sender)) // who joins looks for the dead
        {
            passer.Must($"open-queue 1 {queue.Name} open=existing");
            Assert.Equal(IpcStatus.Empty, passer.Do("read 1").Status);
            passer.Must("close 1");
        }
        stopped.Continue();
        stopped.Must("release 1");
        stopped.Must("close 1");
        Assert.Equal((0, 0), ((int)queue.One.Must("info 1")["redelivered"], (int)queue.One.Must("info 1")["depth"]));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheTableHasItsMaximumAndIsAsNewAfterwards(Language one, Language other)
    {
        using var queue = new QueuePair(peers, one, other, "block=64 count=8 participants=4");
        Driven third = peers.At(one, "third"), fourth = peers.At(other, "fourth"), fifth = peers.At(one, "fifth");
        third.Must($"open-queue 1 {queue.Name} open=existing");
        fourth.Must($"open-queue 1 {queue.Name} open=existing");
        Answer refused = fifth.Do($"open-queue 1 {queue.Name} open=existing");
        Assert.Equal(IpcStatus.TableFull, refused.Status);
        Assert.Contains("4", refused.Text, StringComparison.Ordinal);
        fourth.Must("close 1");
        fifth.Must($"open-queue 1 {queue.Name} open=existing");
        fifth.Must("close 1");
        for (int round = 0; round < (Switches.LongRuns ? 10_000 : 100); round++)
        {
            Driven end = round % 2 == 0 ? fourth : fifth;
            end.Must($"open-queue 1 {queue.Name} open=existing");
            end.Must("write 1 1 20 1");
            end.Must("close 1");
            queue.MustRead(1, 20, 1);
        }
        using (Driven dying = peers.New(other))
        {
            dying.Must($"open-queue 1 {queue.Name} open=existing");
            dying.Kill();
        }
        fifth.Must($"open-queue 1 {queue.Name} open=existing"); // the dead one's place
        fifth.Must("close 1");
        third.Must("close 1");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AttachingBeforeTheCreatorWaitsForIt(Language early, Language late)
    {
        string name = peers.NewName("queue");
        Driven waiting = peers.At(early, "receiver"), creator = peers.At(late, "sender");
        Assert.Equal(IpcStatus.NotFound, waiting.Do($"open-queue 1 {name} open=existing").Status);
        Answer slow = waiting.Do($"open-queue 1 {name} open=existing timeout=50");
        Assert.Equal(IpcStatus.NotFound, slow.Status);
        Assert.Contains(name, slow.Text, StringComparison.Ordinal);
        waiting.Begin($"open-queue 1 {name} open=existing {Long}");
        waiting.WaitUntilAsleep();
        creator.Must($"open-queue 1 {name} open=create count=16");
        Assert.Equal(IpcStatus.Ok, waiting.Result().Status);
        Assert.Equal(IpcStatus.Exists, peers.At(early, "third").Do($"open-queue 1 {name} open=create").Status);
        creator.Must("write 1 1 10 1");
        creator.Must("close 1"); // the creator is one like the others
        Assert.Equal(1, waiting.Must($"read 1 {Long}")["type"]);
        waiting.Must("release 1");
        waiting.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>What a crash leaves is gone with the next start; a persistent queue keeps its messages, those in dead hands too.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ExitWithoutDisposeLeavesNothingButWhatIsPersistent(Language first, Language second)
    {
        foreach (bool persistent in new[] { false, true })
        {
            string name = peers.NewName("queue");
            using (Driven dying = peers.New(first))
            {
                dying.Must($"open-queue 1 {name} count=16 lifetime={(persistent ? "persistent" : "while-used")}");
                dying.Must("write 1 1 10 1");
                dying.Must("write 1 2 10 2");
                Assert.Equal(1, dying.Must("read 1")["type"]);
                dying.Must("claim 1 10");
                dying.Kill();
            }
            Driven next = peers.At(second, "receiver");
            Assert.Equal(persistent ? IpcStatus.Ok : IpcStatus.NotFound, next.Do($"open-queue 1 {name} open=existing").Status);
            if (!persistent)
                next.Must($"open-queue 1 {name} count=16");
            Answer answer = next.Do("read 1");
            Assert.Equal(persistent ? IpcStatus.Ok : IpcStatus.Empty, answer.Status);
            if (persistent)
            {
                Assert.Equal((1, 1), ((int)answer["type"], (int)answer["redelivered"]));
                next.Must("release 1");
                Assert.Equal(2, next.Must("read 1")["type"]);
                next.Must("release 1");
            }
            peers.MustBeAsNew(name, "empty");
            next.Must("close 1");
            Assert.Equal(persistent, peers.Directory.Has(name));
            if (persistent)
                next.Must($"clear {name}");
            Assert.Empty(peers.Directory.FilesOf(name));
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ClearRemovesExactlyThatNameAndNothingInUse(Language owner, Language other)
    {
        string name = peers.NewName("queue"), neighbour = name + ".x";
        Driven first = peers.At(owner, "sender"), second = peers.At(other, "receiver");
        Assert.Equal(IpcStatus.NotFound, second.Do($"clear {name}").Status);
        first.Must($"open-queue 1 {name} count=16 lifetime=persistent");
        first.Must($"open-queue 2 {neighbour} count=16 lifetime=persistent");
        Answer refused = second.Do($"clear {name}");
        Assert.Equal(IpcStatus.InUse, refused.Status);
        Assert.Contains(first.ProcessId.ToString(CultureInfo.InvariantCulture), refused.Text, StringComparison.Ordinal);
        first.Must("write 1 1 10 1"); // it was not touched
        first.Must("close 1");
        first.Must("close 2");
        second.Must($"clear {name}");
        Assert.False(peers.Directory.Has(name));
        Assert.True(peers.Directory.Has(neighbour));
        second.Must($"clear {neighbour}");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AQueueIsNotATopicNorARing(Language creator, Language other)
    {
        string name = peers.NewName("queue");
        Driven owner = peers.At(creator, "sender"), wrong = peers.At(other, "receiver");
        owner.Must($"open-queue 1 {name} count=16 budget=65536");
        byte[] before = peers.Directory.ReadOfLive(name);
        foreach (string open in new[] { "open-subscriber", "open-publisher", "open-reader", "open-writer", "open-mutex", "open-event" })
        {
            Answer refused = wrong.Do($"{open} 1 {name} open=existing");
            Assert.Equal(IpcStatus.WrongKind, refused.Status);
            Assert.NotEqual("", refused.Text);
        }
        Assert.Equal(before, peers.Directory.ReadOfLive(name));
        owner.Must("close 1");
        owner.Must($"open-publisher 1 {name}");
        Assert.Equal(IpcStatus.WrongKind, wrong.Do($"open-queue 1 {name}").Status);
        owner.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>Attach, leave and death are told to whoever asks, with who it was.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ComingLeavingAndDyingAreTold(Language watcher, Language other)
    {
        const int Attached = 1, Left = 2, Died = 3;
        string name = peers.NewName("queue");
        Driven watching = peers.At(watcher, "receiver");
        watching.Must($"open-queue 1 {name} count=16");
        using (Driven coming = peers.New(other))
        {
            coming.Must($"open-queue 1 {name} open=existing");
            Next(watching, Attached, coming.ProcessId);
            Answer who = watching.Must("participants 1");
            Assert.Equal(2, who["count"]);
            coming.Must("close 1");
            Next(watching, Left, coming.ProcessId);
            coming.Must($"open-queue 1 {name} open=existing");
            Next(watching, Attached, coming.ProcessId);
            coming.Kill();
            Next(watching, Died, coming.ProcessId);
        }
        watching.Must("close 1");
    }

    internal static void Next(Driven watching, int kind, int process)
    {
        while (true)
        {
            Answer change = watching.Must("change 1 timeout=600000");
            if (change["pid"] != process)
                continue; // its own, or one that was there before
            Assert.Equal(kind, (int)change["kind"]);
            return;
        }
    }
}
