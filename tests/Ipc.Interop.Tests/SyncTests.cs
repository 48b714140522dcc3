using System;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Mutex, semaphore and event between two languages, and after the death of who held them.</summary>
public sealed class SyncTests(Peers peers)
{
    private const string Long = "timeout=600000";

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AMutexHasOneOwner(Language one, Language other)
    {
        using var pair = new SyncPair(peers, one, other, "mutex", "wait=block");
        pair.One.Must("acquire 1");
        Assert.Equal(IpcStatus.Timeout, pair.Other.Do("acquire 1 timeout=30").Status);
        pair.Other.Begin($"acquire 1 {Long}");
        pair.Other.WaitUntilAsleep();
        Assert.False(pair.Other.HasAnswered);
        pair.One.Must("release 1");
        Assert.Equal(IpcStatus.Ok, pair.Other.Result().Status);
        Assert.Equal(IpcStatus.InvalidState, pair.One.Do("release 1").Status); // it is the other's
        pair.Other.Must("release 1");
        pair.One.Must("acquire 1");
        pair.Other.Must("stop 1");
        Assert.Equal(IpcStatus.Stopped, pair.Other.Do($"acquire 1 {Long}").Status);
        pair.Other.Must("resume 1");
        pair.One.Must("release 1");
        pair.Other.Must("acquire 1");
        pair.Other.Must("release 1");
    }

    /// <summary>
    /// Who holds becomes another program by exec(): its process lives on under its number, so nobody is told of an end, but what held has gone. Who sleeps for it
    /// notices, is told that it was abandoned, and has it.
    /// </summary>
    [Theory]
    [MemberData(nameof(Holders))]
    public void AHolderThatBecomesAnotherProgramHoldsNothing(Language one, Language other, string kind)
    {
        using var pair = new SyncPair(peers, one, other, kind, "wait=block");
        using Driven becoming = peers.New(one);
        becoming.Must($"open-{kind} 1 {pair.Name} open=existing");
        becoming.Must("acquire 1");
        Assert.Equal(IpcStatus.Timeout, pair.Other.Do("acquire 1 timeout=1").Status); // it watches the holder's process from now on
        pair.Other.Begin($"acquire 1 {Long}");
        pair.Other.WaitUntilAsleep();
        becoming.Must("exec-cat");
        Assert.Equal(IpcStatus.Abandoned, pair.Other.Result().Status);
        Assert.False(becoming.HasExited);
        Assert.Equal(IpcStatus.Timeout, pair.One.Do("acquire 1 timeout=30").Status);
        pair.Other.Must("release 1");
    }

    public static TheoryData<Language, Language, string> Holders
    {
        get
        {
            var data = new TheoryData<Language, Language, string>();
            foreach (string kind in new[] { "mutex", "semaphore" })
            {
                data.Add(Language.C, Language.CSharp, kind);
                data.Add(Language.CSharp, Language.C, kind);
            }
            return data;
        }
    }

    /// <summary>The owner dies: a sleeping waiter gets the mutex, is told so, and the next one is not.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ADeadOwnerIsReportedOnce(Language one, Language other)
    {
        using var pair = new SyncPair(peers, one, other, "mutex", "wait=block");
        for (int round = 0; round < 2; round++)
        {
            using (Driven dying = peers.New(round == 0 ? one : other))
            {
                dying.Must($"open-mutex 1 {pair.Name} open=existing");
                dying.Must("acquire 1");
                pair.Other.Begin($"acquire 1 {Long}");
                pair.Other.WaitUntilAsleep();
                Assert.False(pair.Other.HasAnswered);
                dying.Kill();
            }
            Assert.Equal(IpcStatus.Abandoned, pair.Other.Result().Status);
            Assert.Equal(IpcStatus.Timeout, pair.One.Do("acquire 1 timeout=30").Status); // abandoned is held
            pair.Other.Must("release 1");
            Assert.Equal(IpcStatus.Ok, pair.One.Do($"acquire 1 {Long}").Status);
            pair.One.Must("release 1");
        }
    }

    /// <summary>Somebody keeps the region lock: who opens with a deadline gives up at it, and who has time gets in when the lock is free.</summary>
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public void OpeningWaitsForTheRegionLockAsLongAsItMay(Language language)
    {
        const long RegionLock = 0x3FFF_FFFF_FFFF_FFFF;
        using var pair = new SyncPair(peers, language, language, "mutex", "");
        using (var bytes = new LiveRegion(peers.Directory.FileOf(pair.Name)))
        {
            Assert.True(bytes.TryLock(RegionLock));
            long began = Environment.TickCount64;
            Assert.Equal(IpcStatus.Timeout, pair.One.Do($"open-mutex 2 {pair.Name} open=existing timeout=50").Status);
            Assert.InRange(Environment.TickCount64 - began, 0, 4000); // who has no deadline waits 5 s
            int before = Descriptors();
            pair.One.Begin($"open-mutex 2 {pair.Name} open=existing {Long}");
            Watchdog.Until(() => Descriptors() > before, "it to open the file"); // then it looks for the lock now and then: it need not be seen asleep
            Assert.False(pair.One.HasAnswered);
        }
        Assert.Equal(IpcStatus.Ok, pair.One.Result().Status);
        pair.One.Must("close 2");

        int Descriptors() => Directory.GetFiles($"/proc/{pair.One.ProcessId}/fd").Count(each => new FileInfo(each).LinkTarget == peers.Directory.FileOf(pair.Name));
    }

    /// <summary>A stopped owner is alive.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AStoppedOwnerKeepsTheMutex(Language one, Language other)
    {
        using var pair = new SyncPair(peers, one, other, "mutex", "");
        using Driven stopped = peers.New(one);
        stopped.Must($"open-mutex 1 {pair.Name} open=existing");
        stopped.Must("acquire 1");
        stopped.Stop();
        Assert.Equal(IpcStatus.Timeout, pair.Other.Do("acquire 1 timeout=200").Status);
        stopped.Continue();
        stopped.Must("release 1");
        Assert.Equal(IpcStatus.Ok, pair.Other.Do($"acquire 1 {Long}").Status);
        pair.Other.Must("release 1");
        stopped.Must("close 1");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ASemaphoreGivesItsPermitsAndGetsThoseOfTheDead(Language one, Language other)
    {
        using var pair = new SyncPair(peers, one, other, "semaphore", "permits=3 wait=block");
        using (Driven dying = peers.New(Matrix.Other(other)))
        {
            dying.Must($"open-semaphore 1 {pair.Name} open=existing");
            dying.Must("acquire 1");
            dying.Must("acquire 1");
            pair.One.Must("acquire 1");
            Assert.Equal(0, pair.One.Must("available 1")["available"]);
            Assert.Equal(IpcStatus.Timeout, pair.Other.Do("acquire 1 timeout=30").Status);
            pair.Other.Begin($"acquire 1 {Long}");
            pair.Other.WaitUntilAsleep();
            Assert.False(pair.Other.HasAnswered);
            dying.Kill();
        }
        Assert.Equal(IpcStatus.Abandoned, pair.Other.Result().Status);
        Assert.Equal(IpcStatus.Abandoned, pair.Other.Do($"acquire 1 {Long}").Status); // two permits, told twice
        pair.Other.Must("release 1");
        pair.Other.Must("release 1");
        Assert.Equal(IpcStatus.InvalidState, pair.Other.Do("release 1").Status);
        pair.One.Must("release 1");
        for (int n = 0; n < 3; n++)
            Assert.Equal(IpcStatus.Ok, pair.Other.Do("acquire 1").Status);
        Assert.Equal(IpcStatus.Timeout, pair.One.Do("acquire 1 timeout=30").Status);
        pair.One.Begin($"acquire 1 {Long}");
        pair.One.WaitUntilAsleep();
        pair.Other.Must("release 1");
        Assert.Equal(IpcStatus.Ok, pair.One.Result().Status);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AnEventWakesOneOrAll(Language one, Language other)
    {
        using (var pair = new SyncPair(peers, one, other, "event", "wait=block"))
        {
            pair.Other.Begin($"wait 1 {Long}");
            pair.Other.WaitUntilAsleep();
            Assert.False(pair.Other.HasAnswered);
            pair.One.Must("set 1");
            Assert.Equal(IpcStatus.Ok, pair.Other.Result().Status);
            Assert.Equal(IpcStatus.Timeout, pair.Other.Do("wait 1 timeout=30").Status); // consumed
            pair.One.Must("set 1");
            pair.One.Must("set 1");
            pair.Other.Must($"wait 1 {Long}");
            Assert.Equal(IpcStatus.Timeout, pair.Other.Do("wait 1 timeout=30").Status);
        }
        using (var pair = new SyncPair(peers, one, other, "event", "manual=1 set=1 wait=block"))
        {
            pair.Other.Must("wait 1");
            pair.One.Must("wait 1");
            pair.One.Must("reset 1");
            Assert.Equal(IpcStatus.Timeout, pair.Other.Do("wait 1 timeout=30").Status);
            pair.Other.Begin($"wait 1 {Long}");
            pair.Other.WaitUntilAsleep();
            pair.One.Must("set 1");
            Assert.Equal(IpcStatus.Ok, pair.Other.Result().Status);
            pair.Other.Must("wait 1");
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AWrongKindIsRefused(Language one, Language other)
    {
        using var pair = new SyncPair(peers, one, other, "mutex", "");
        Driven wrong = peers.At(other, "wrong");
        foreach (string kind in new[] { "semaphore", "event", "queue" })
            Assert.Equal(IpcStatus.WrongKind, wrong.Do($"open-{kind} 1 {pair.Name} open=existing").Status);
    }
}
