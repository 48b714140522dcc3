using System;
using System.Collections.Generic;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>What the dead leave in a queue: placed there byte by byte. How real processes die at each step is tested elsewhere.</summary>
public sealed class QueueRecoveryTests : QueueTest
{
    private const int Dead = 5;

    /// <summary>Recovers by attaching and leaving.</summary>
    private static void Recover() => SharedQueue.Open("queue").Dispose();

    [Fact]
    public void WhatADeadSenderHadNotFinishedWasNeverSent()
    {
        SharedQueue queue = Queue();
        using LiveRegion bytes = Look("queue");
        AddDead(bytes, Dead);
        bytes.U64(SlotAt(bytes, 0, 0), Word(0, Dead + 1, Writing));
        SendNumber(queue, 1);
        ReceiveNumber(queue, 1);
        Recover();
        Assert.Equal(Word(1, 0, Free), bytes.U64(SlotAt(bytes, 0, 0)));
        Assert.Equal(0u, bytes[Wire.Region.Participants + Dead * Wire.Participant.Size]);
        Assert.Equal(2u, bytes[Wire.Region.Participants + Dead * Wire.Participant.Size + 44]); // died
        for (int i = 0; i < 4; i++)
            SendNumber(queue, i);
        for (int i = 0; i < 4; i++)
            ReceiveNumber(queue, i);
        Assert.Equal((0, 0), (queue.GetInfo().Redelivered, queue.GetInfo().Dropped));
    }

    [Fact]
    public void WhatADeadReceiverHeldComesAgainFlaggedAndFirst()
    {
        SharedQueue queue = Queue();
        using LiveRegion bytes = Look("queue");
        for (int i = 0; i < 4; i++)
            SendNumber(queue, i);
        AddDead(bytes, Dead);
        foreach (int slot in new[] { 0, 2 })
            bytes.U64(SlotAt(bytes, 0, slot), Word(0, Dead + 1, Reading));
        ReceiveNumber(queue, 1);
        Recover();
        Assert.Equal(Word(0, 0, Ready) | Redelivered, bytes.U64(SlotAt(bytes, 0, 0)));
        ReceiveNumber(queue, 0, redelivered: true);
        ReceiveNumber(queue, 2, redelivered: true);
        ReceiveNumber(queue, 3);
        NothingIn(queue);
        Assert.Equal(2, queue.GetInfo().Redelivered);
        Assert.Equal(bytes.U64(bytes.Body + At.Orphans), bytes.U64(bytes.Body + At.OrphansCleared));
        for (int i = 0; i < 8; i++)
        {
            SendNumber(queue, i);
            ReceiveNumber(queue, i);
        }
    }

    [Fact]
    public void AMessageCanComeAgainMoreThanOnce()
    {
        SharedQueue queue = Queue();
        SendNumber(queue, 0);
        for (int i = 0; i < 3; i++)
        {
            using SharedQueue leaver = SharedQueue.Open("queue");
            Assert.True(leaver.TryReceive(out QueueMessage message));
            Assert.Equal(i > 0, message.Redelivered);
        }

        Assert.Equal(IpcStatus.Ok, queue.Wait(Deadline.Now));
        ReceiveNumber(queue, 0, redelivered: true);
        NothingIn(queue);
        Assert.Equal(3, queue.GetInfo().Redelivered);
    }

    [Fact]
    public void AQueueThatDropsOrphansDropsThem()
    {
        QueueOptions options = Few();
        options.DropOrphans = true;
        SharedQueue queue = Queue(options);
        using LiveRegion bytes = Look("queue");
        SendNumber(queue, 0);
        SendNumber(queue, 1);
        AddDead(bytes, Dead);
        bytes.U64(SlotAt(bytes, 0, 0), Word(0, Dead + 1, Reading));
        Recover();
        ReceiveNumber(queue, 1);
        NothingIn(queue);
        Assert.Equal((0, 1), (queue.GetInfo().Redelivered, queue.GetInfo().Dropped));
    }

    [Fact]
    public void ASlotOfNobodyLiveIsRecoveredWithTheNext()
    {
        SharedQueue queue = Queue();
        using LiveRegion bytes = Look("queue");
        bytes.U64(SlotAt(bytes, 0, 0), Word(0, 40, Writing)); // entry 39 is free
        AddDead(bytes, Dead);
        Recover();
        Assert.Equal(Word(1, 0, Free), bytes.U64(SlotAt(bytes, 0, 0)));
    }

    [Fact]
    public void RecoveryKeepsTheSeal()
    {
        QueueOptions options = Few();
        options.MaxExpansions = 1;
        SharedQueue queue = Queue(options);
        using LiveRegion bytes = Look("queue");
        for (int i = 0; i < 5; i++)
            SendNumber(queue, i);
        AddDead(bytes, Dead);
        bytes.U64(SlotAt(bytes, 0, 0), Word(0, Dead + 1, Reading) | Sealed);
        Recover();
        Assert.Equal(Word(0, 0, Ready) | Redelivered | Sealed, bytes.U64(SlotAt(bytes, 0, 0)));
        ReceiveNumber(queue, 0, redelivered: true);
        for (int i = 1; i < 5; i++)
            ReceiveNumber(queue, i);
        NothingIn(queue);
    }

    [Fact]
    public void AWaitingReceiverGetsWhatALeaverHeld()
    {
        SharedQueue queue = Queue(Few(4, WaitMode.Block));
        SharedQueue leaver = SharedQueue.Open("queue");
        SendNumber(queue, 7);
        Assert.True(leaver.TryReceive(out _));
        Background waiting = Run(() =>
        {
            Assert.Equal(IpcStatus.Ok, queue.Receive(out QueueMessage message, Hang));
            Assert.True(message.Redelivered);
            message.Release();
        });
        waiting.UntilAsleep();
        leaver.Dispose();
        waiting.Join();
    }

    [Fact]
    public void WhoeverLooksNoticesTheDead()
    {
        SharedQueue queue = Queue();
        NothingIn(queue); // everybody who is there is watched: nobody
        SendNumber(queue, 7);
        using LiveRegion bytes = Look("queue");
        AddDead(bytes, Dead);
        bytes.U64(SlotAt(bytes, 0, 0), Word(0, Dead + 1, Reading));
        bytes.Signal(Wire.Region.Change); // as who attaches does
        TakeWhatTheDeadHeld(queue);
    }

    [Fact]
    public void ThatSomebodyDiesIsTold()
    {
        SharedQueue queue = Queue();
        List<ParticipantChange> seen = new();
        queue.ParticipantChanged += (_, change) =>
        {
            if (change.Participant.Index == Dead)
            {
                lock (seen)
                    seen.Add(change.Change);
            }
        };
        SendNumber(queue, 7);
        using LiveRegion bytes = Look("queue");
        // Nobody recovers meanwhile: who comes and goes between two looks of the thread that tells is not told.
        Watchdog.Until(() => bytes.TryLock(Wire.Region.LockOfRegion), "the region lock to be free");
        AddDead(bytes, Dead);
        bytes.U64(SlotAt(bytes, 0, 0), Word(0, Dead + 1, Reading));
        bytes.Signal(Wire.Region.Change);
        IsTold(ParticipantChange.Attached);
        bytes.Unlock(Wire.Region.LockOfRegion);
        TakeWhatTheDeadHeld(queue);
        IsTold(ParticipantChange.Died);

        void IsTold(ParticipantChange change) => Watchdog.Until(
            () =>
            {
                lock (seen)
                    return seen.Count > 0 && seen[^1] == change;
            },
            $"that it has {change}");
    }

    private static void TakeWhatTheDeadHeld(SharedQueue queue) => Watchdog.Until(
        () =>
        {
            if (!queue.TryReceive(out QueueMessage message))
                return false;
            Assert.True(message.Redelivered);
            message.Release();
            return true;
        },
        "the message of the dead");

    [Fact]
    public void AWaitingSenderNoticesTheDead()
    {
        SharedQueue queue = Queue(Few(2, WaitMode.Block));
        SendNumber(queue, 0);
        SendNumber(queue, 1);
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, queue.Send(Number(2), 0, Hang)));
        waiting.UntilAsleep();
        using LiveRegion bytes = Look("queue");
        AddDead(bytes, Dead);
        bytes.U64(SlotAt(bytes, 0, 0), Word(0, Dead + 1, Writing));
        bytes.Signal(Wire.Region.Change);
        bytes.Signal(bytes.Body + At.Space); // who attaches signals every waiter: sleepers have a new peer to look after
        waiting.Join();
        ReceiveNumber(queue, 1);
        ReceiveNumber(queue, 2);
    }

    [Fact]
    public void ClearingRemovesWhatTheDeadLeftButNothingInUse()
    {
        Assert.False(SharedStorage.Clear("queue"));
        QueueOptions options = Few();
        options.Lifetime = Lifetime.Persistent;
        SharedQueue queue = SharedQueue.Open("queue", options);
        using (LiveRegion bytes = Look("queue"))
            AddDead(bytes, Dead);
        Assert.Contains($"process {Environment.ProcessId}", Fails(IpcStatus.InUse, () => SharedStorage.Clear("queue")).Message, StringComparison.Ordinal);
        queue.Dispose();
        Assert.True(SharedStorage.Clear("queue"));
        Assert.False(SharedStorage.Clear("queue"));
        Fails(IpcStatus.InvalidName, () => SharedStorage.Clear("../queue"));
        Regions.Place("queue", new byte[100]);
        Fails(IpcStatus.Corrupt, () => SharedStorage.Clear("queue"));
        LeavesFiles = true;
    }
}
