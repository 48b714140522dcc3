using System;
using System.Collections.Generic;
using System.Diagnostics;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// Whoever sleeps for somebody who is killed goes on within 50 ms. A busy machine needs longer for anything, so the bound grows with what an empty pair needs
/// in the same round: a process of the victim's language that has opened nothing is killed and seen to end, and the survivor, who sleeps for nothing, answers a line.
/// </summary>
/// <remarks>
/// Most of the rounds have to keep the bound. One good round would show nothing: who only looks every 250 ms is as quick in every fifth.
/// </remarks>
public sealed class DeathNoticeTests(Peers peers)
{
    private const int Rounds = 5, Needed = Rounds / 2 + 1;
    private const string Long = "timeout=600000";

    /// <summary>What is promised, beside a pair that takes no time.</summary>
    private static readonly TimeSpan _promised = TimeSpan.FromMilliseconds(50);

    /// <summary>The notice has more steps than the empty pair has: the watching thread wakes, recovers, and wakes who sleeps.</summary>
    private const int Steps = 4;

    public static TheoryData<Language, Language> Pairs => WakeUpTests.Pairs;

    [Theory]
    [MemberData(nameof(Pairs))]
    public void AReaderHearsOfItsWritersDeathAtOnce(Language survivor, Language victim) => MostAreSoon(survivor, victim, (reader, writer, name) =>
    {
        reader.Must($"open-reader 1 {name} wait=block");
        writer.Must($"open-writer 1 {name} open=existing");
    });

    [Theory]
    [MemberData(nameof(Pairs))]
    public void AClientHearsOfItsServersDeathAtOnce(Language survivor, Language victim) => MostAreSoon(survivor, victim, (client, server, name) =>
    {
        server.Must($"listen 1 {name}");
        server.Begin($"serve 1 {Long}");
        client.Must($"connect 1 {name} wait=block {Long}");
    });

    /// <summary>The one thread that watches has the victim's entries to free in all of them, and may wait for none of their locks.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void StoppedHoldersOfRegionLocksDelayNobodysNotice(Language survivor, Language victim)
    {
        const int Stuck = 6;
        List<Driven> holders = [];
        MostAreSoon(
            survivor,
            victim,
            (reader, writer, name) =>
            {
                for (int i = 0; i < Stuck; i++)
                {
                    reader.Must($"open-queue 1{i} {name}-{i} block=64 count=4 wait=block");
                    writer.Must($"open-queue 1{i} {name}-{i} open=existing");
                    Driven holder = peers.New(Language.C, new Dictionary<string, string> { ["IPC_FAULT"] = "region.attach.locked", ["IPC_FAULT_ACTION"] = "stop" });
                    holders.Add(holder);
                    holder.Begin($"open-queue 1 {name}-{i} open=existing");
                    holder.WaitUntilStopped();
                }

                reader.Must($"open-reader 1 {name} wait=block");
                writer.Must($"open-writer 1 {name} open=existing");
            },
            reader =>
            {
                foreach (Driven holder in holders)
                {
                    holder.Kill();
                    holder.Dispose();
                }

                holders.Clear();
                for (int i = 0; i < Stuck; i++)
                    reader.Must($"close 1{i}");
            });
    }

    private void MostAreSoon(Language survivor, Language victim, Action<Driven, Driven, string> meet, Action<Driven>? part = null)
    {
        Driven sleeper = peers.At(survivor, "survivor");
        int soon = 0;
        string said = "";
        _ = Round(); // the first compiles what takes part
        for (int late = 0; soon < Needed && late < Needed;)
        {
            (TimeSpan empty, TimeSpan took) = Round();
            said += $" {took.TotalMilliseconds:0.0} (empty pair {empty.TotalMilliseconds:0.0})";
            if (took <= TimeSpan.FromTicks(Math.Max(_promised.Ticks, empty.Ticks * Steps)))
                soon++;
            else
                late++;
        }
        Assert.True(soon == Needed, $"{survivor} heard of the death of {victim} after, in ms:{said}");

        (TimeSpan Empty, TimeSpan Took) Round()
        {
            string name = peers.NewName("death");
            using Driven idle = peers.New(victim), dying = peers.New(victim);
            meet(sleeper, dying, name);
            long began = Stopwatch.GetTimestamp();
            idle.Kill();
            _ = sleeper.Do("close 2"); // there is none
            TimeSpan empty = Stopwatch.GetElapsedTime(began);

            sleeper.Begin($"read 1 {Long}");
            sleeper.WaitUntilAsleep();
            began = Stopwatch.GetTimestamp();
            dying.Kill();
            Answer heard = sleeper.Result();
            TimeSpan took = Stopwatch.GetElapsedTime(began);
            Assert.Equal(IpcStatus.PeerDied, heard.Status);
            sleeper.Must("close 1");
            part?.Invoke(sleeper);
            return (empty, took);
        }
    }
}
