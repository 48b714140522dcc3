using System.Collections.Generic;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// A process that is stopped keeps the region lock; somebody closes, waits for the lock in vain, and leaves without it. His process lives on, so no death
/// tells the others; they must see that he has gone as soon as the lock is free.
/// </summary>
[Collection(nameof(Waiting))]
public sealed class LeavingTests(Peers peers)
{
    private const string Long = "timeout=600000";
    private readonly string _name = peers.NewName("leaving");

    public static TheoryData<Language, Language> Pairs => new() { { Language.C, Language.CSharp }, { Language.CSharp, Language.C } };

    [Theory]
    [MemberData(nameof(Pairs))]
    public void WritersOfATopicGoOnWithoutAReaderThatLeftWithoutTheLock(Language leaver, Language survivor)
    {
        Driven leaving = peers.At(leaver, "leaving"), writer = peers.At(survivor, "survivor");
        writer.Must($"open-publisher 1 {_name} block=64 count=4 wait=block");
        leaving.Must($"open-subscriber 1 {_name} open=existing");
        for (int n = 1; n <= 4; n++)
            writer.Must($"write 1 {n} 20 {n} {Long}");
        writer.Begin($"write 1 5 20 5 {Long}"); // the reader holds it up
        writer.WaitUntilAsleep();
        LeaveWithoutTheLock(leaving, survivor, "open-publisher");
        Assert.Equal(IpcStatus.Ok, writer.Result().Status);
        writer.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void WhatAReceiverHeldThatLeftWithoutTheLockComesAgain(Language leaver, Language survivor)
    {
        Driven leaving = peers.At(leaver, "leaving"), receiver = peers.At(survivor, "survivor");
        receiver.Must($"open-queue 1 {_name} block=64 count=4 wait=block");
        leaving.Must($"open-queue 1 {_name} open=existing");
        receiver.Must($"write 1 1 20 7 {Long}");
        leaving.Must($"read 1 {Long}");
        receiver.Begin($"read 1 {Long}");
        receiver.WaitUntilAsleep();
        LeaveWithoutTheLock(leaving, survivor, "open-queue");
        Assert.Equal(7, receiver.Result()["type"]);
        receiver.Must("release 1");
        receiver.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void AWriterHearsOfAReaderThatLeftWithoutTheLock(Language leaver, Language survivor)
    {
        Driven leaving = peers.At(leaver, "leaving"), writer = peers.At(survivor, "survivor");
        writer.Must($"open-writer 1 {_name} capacity=4096 wait=block");
        leaving.Must($"open-reader 1 {_name} open=existing");
        writer.Must($"write 1 1 2000 1 {Long}");
        writer.Begin($"write 1 2 2040 2 {Long}"); // no room
        writer.WaitUntilAsleep();
        LeaveWithoutTheLock(leaving, survivor, "open-reader");
        Assert.Equal(IpcStatus.PeerClosed, writer.Result().Status);
        writer.Must("close 1");
        System.IO.File.Delete(peers.Directory.FileOf(_name)); // kept: the first record has not been read
    }

    /// <summary>The leaver itself is killed or stopped, once it has given up.</summary>
    [Theory]
    [MemberData(nameof(FaultTests.OfLeavers), MemberType = typeof(FaultTests))]
    public void TheSurvivorsOfWhoGaveUpGoOn(string point, string variant, Language victim, Language survivor, FaultAction action) =>
        FaultTests.Play(peers, point, variant, victim, survivor, action);

    private void LeaveWithoutTheLock(Driven leaving, Language language, string open)
    {
        using Driven holder = peers.New(language, new Dictionary<string, string> { ["IPC_FAULT"] = "region.attach.locked", ["IPC_FAULT_ACTION"] = "stop" });
        holder.Begin($"{open} 1 {_name} open=existing");
        holder.WaitUntilStopped();
        leaving.Must("close 1");
        holder.Kill();
    }
}
