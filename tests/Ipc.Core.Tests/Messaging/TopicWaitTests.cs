using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Waiting at a topic: for messages, for room, for readers; and everything that ends a wait.</summary>
public sealed class TopicWaitTests : TopicTest
{
    public static TheoryData<WaitMode> Modes => new(WaitMode.Adaptive, WaitMode.Spin, WaitMode.Block);

    [Theory]
    [MemberData(nameof(Modes))]
    public void ATimedWaitLastsItsTime(WaitMode mode)
    {
        TopicWriter writer = Writer(Eight(mode));
        TopicReader reader = Reader(options: Eight(mode));
        long began = Stopwatch.GetTimestamp();
        Assert.Equal(IpcStatus.Timeout, reader.Read(out _, Deadline.FromMilliseconds(30)));
        Assert.Equal(IpcStatus.Timeout, reader.Wait(Deadline.FromMilliseconds(30)));
        Publish(writer, 0, Slots);
        Assert.Equal(IpcStatus.Timeout, writer.Publish("x"u8, 0, 0, Deadline.FromMilliseconds(30)));
        Assert.Equal(IpcStatus.Timeout, writer.WaitForReaders(2, Deadline.FromMilliseconds(30)));
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalMilliseconds, 120, 30_000);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void PingPongNeverLosesAWake(WaitMode mode)
    {
        int rounds = mode == WaitMode.Spin && Environment.ProcessorCount < 2 ? 50 : 3000;
        using TopicWriter there = TopicWriter.Open("there", Eight(mode)), back = TopicWriter.Open("back", Eight(mode));
        using TopicReader thereReader = TopicReader.Open("there", Eight(mode)), backReader = TopicReader.Open("back", Eight(mode));
        Background echo = Run(() =>
        {
            for (int i = 0; i < rounds; i++)
            {
                Assert.Equal(IpcStatus.Ok, thereReader.Read(out TopicMessage message, Hang));
                Assert.Equal(IpcStatus.Ok, back.Publish(message.Payload, message.Type, 0, Hang));
                thereReader.Release();
            }
        });
        for (int i = 0; i < rounds; i++)
        {
            Assert.Equal(IpcStatus.Ok, there.Publish("ping"u8, (ushort)i, 0, Hang));
            Assert.Equal(IpcStatus.Ok, backReader.Read(out TopicMessage message, Hang));
            Assert.Equal((ushort)i, message.Type);
            backReader.Release();
        }

        echo.Join();
    }

    [Theory]
    [InlineData(TopicPolicy.Reliable)]
    [InlineData(TopicPolicy.Lossy)]
    [InlineData(TopicPolicy.Latest)]
    public void EverySleepingReaderWakes(TopicPolicy policy)
    {
        TopicWriter writer = Writer();
        TopicReader[] readers = { Reader(policy, options: Eight(WaitMode.Block)), Reader(policy, options: Eight(WaitMode.Block)), Reader(policy, options: Eight(WaitMode.Block)) };
        for (int round = 0; round < 20; round++)
        {
            List<Background> waiting = new();
            foreach (TopicReader reader in readers)
            {
                waiting.Add(Run(() =>
                {
                    Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
                    Assert.Equal(round, NumberOf(message));
                    reader.Release();
                }));
            }

            waiting.ForEach(thread => thread.UntilAsleep());
            Publish(writer, round, 1);
            waiting.ForEach(thread => thread.Join());
        }
    }

    [Fact]
    public void AWriterWaitsForTheSlowestReaderOnly()
    {
        TopicWriter writer = Writer(Eight(WaitMode.Block));
        TopicReader quick = Reader(), slow = Reader(), lossy = Reader(TopicPolicy.Lossy);
        Publish(writer, 0, Slots);
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, writer.Publish("x"u8, 0, 0, Hang)));
        waiting.UntilAsleep();
        Drain(quick);
        Drain(lossy);
        waiting.UntilAsleep();
        IsEmpty(quick); // what it released made no room
        Next(slow);
        slow.Release();
        waiting.Join();
    }

    [Fact]
    public void AWriterThatMeetsAnotherALapBehindSleepsUntilItCommits()
    {
        TopicWriter slow = Writer(), quick = Writer(Eight(WaitMode.Block));
        for (int round = 0; round < 20; round++)
        {
            Assert.True(slow.TryClaim(8, out TopicClaim claim));
            Publish(quick, 0, Slots - 1);
            Assert.False(quick.TryPublish("x"u8));
            Assert.Null(quick.SlowReader);
            Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, quick.Publish("x"u8, 0, 0, Hang)));
            waiting.UntilAsleep();
            if (round % 2 == 0)
                claim.Commit();
            else
                claim.Abandon();
            waiting.Join();
        }
    }

    [Fact]
    public void AWriterThatSleepsForAReaderMayFindAWriterInItsWayNext()
    {
        TopicWriter slow = Writer(), quick = Writer(Eight(WaitMode.Block));
        TopicReader reader = Reader();
        Publish(quick, 0, 1);
        Assert.True(slow.TryClaim(8, out TopicClaim claim));
        Publish(quick, 1, Slots - 2);
        Background waiting = Run(() =>
        {
            Assert.Equal(IpcStatus.Ok, quick.Publish("x"u8, 0, 0, Hang)); // over 0, which the reader has not released
            Assert.Equal(IpcStatus.Ok, quick.Publish("x"u8, 0, 0, Hang)); // over what the other writer is writing
        });
        waiting.UntilAsleep();
        Next(reader);
        reader.Release();
        waiting.UntilAsleep();
        claim.Commit();
        for (int number = 1; number <= Slots; number++)
        {
            Assert.Equal(IpcStatus.Ok, reader.Read(out _, Hang));
            reader.Release();
        }

        waiting.Join();
    }

    [Fact]
    public void WaitForReadersSeesThemComeAndGo()
    {
        TopicWriter writer = Writer(Eight(WaitMode.Block));
        Assert.Equal(IpcStatus.Ok, writer.WaitForReaders(0, Deadline.Now));
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, writer.WaitForReaders(3, Hang)));
        Reader();
        Reader(TopicPolicy.Lossy).Dispose();
        Reader(TopicPolicy.Latest);
        waiting.UntilAsleep();
        TopicReader third = Reader(TopicPolicy.Evict);
        waiting.Join();

        Publish(writer, 0, Slots);
        Assert.Equal(IpcStatus.Timeout, writer.WaitForReaders(4, Deadline.Now));
        third.Dispose();
        Assert.Equal(IpcStatus.Timeout, writer.WaitForReaders(3, Deadline.Now));
    }

    [Fact]
    public void AnEvictedReaderThatJoinsAgainIsSeenByWhoWaitsForReaders()
    {
        TopicWriter writer = Writer(Eight(WaitMode.Block));
        TopicReader reader = Reader(TopicPolicy.Evict);
        Publish(writer, 0, Slots);
        Assert.Equal(IpcStatus.Ok, writer.Publish("x"u8, 0, 0, Deadline.Now));
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, writer.WaitForReaders(1, Hang)));
        waiting.UntilAsleep();
        Assert.Equal(IpcStatus.Ok, reader.Rejoin());
        waiting.Join();
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void StopEndsEveryWaitUntilResumed(WaitMode mode)
    {
        TopicWriter writer = Writer(Eight(mode));
        TopicReader reader = Reader(options: Eight(mode));
        for (int round = 0; round < 10; round++)
        {
            Background read = Run(() => Assert.Equal(IpcStatus.Stopped, reader.Read(out _, Deadline.Never)));
            reader.Stop();
            read.Join();
            Assert.Equal(IpcStatus.Stopped, reader.Wait(Deadline.Never));
            reader.Resume();
        }

        Publish(writer, 0, Slots);
        for (int round = 0; round < 10; round++)
        {
            Background write = Run(() => Assert.Equal(IpcStatus.Stopped, writer.Publish("x"u8, 0, 0, Deadline.Never)));
            writer.Stop();
            write.Join();
            Assert.Equal(IpcStatus.Stopped, writer.WaitForReaders(9, Deadline.Never));
            writer.Resume();
        }

        reader.Stop();
        Assert.Equal(IpcStatus.Ok, reader.Read(out _, Deadline.Never)); // what needs no waiting still works
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void CancellingEndsAWaitWithoutADeadline(WaitMode mode)
    {
        TopicWriter writer = Writer(Eight(mode));
        TopicReader reader = Reader(options: Eight(mode));
        EndsByCancelling(mode, cancel => reader.Read(out _, Deadline.Never, cancel));
        EndsByCancelling(mode, cancel => writer.WaitForReaders(9, Deadline.Never, cancel));
        Publish(writer, 0, Slots);
        EndsByCancelling(mode, cancel => writer.Claim(8, out _, Deadline.Never, cancel));
        Assert.Equal(IpcStatus.Ok, reader.Read(out _, Deadline.Never));
    }

    private static void EndsByCancelling(WaitMode mode, Func<CancellationToken, IpcStatus> wait)
    {
        using CancellationTokenSource source = new();
        Background waiting = Run(() => Assert.Equal(IpcStatus.Cancelled, wait(source.Token)));
        if (mode == WaitMode.Block)
            waiting.UntilAsleep();
        source.Cancel();
        waiting.Join();
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void DisposeEndsTheWaitOfAnotherThread(WaitMode mode)
    {
        for (int round = 0; round < 30; round++)
        {
            TopicWriter writer = TopicWriter.Open(Name, Eight(mode));
            TopicReader reader = TopicReader.Open(Name, Eight(mode)), full = TopicReader.Open("full", Eight(mode));
            TopicWriter blocked = TopicWriter.Open("full", Eight(mode));
            Publish(blocked, 0, Slots);
            Background read = Run(() => Assert.Equal(IpcStatus.Closed, reader.Read(out _, Deadline.Never)));
            Background write = Run(() => Assert.Equal(IpcStatus.Closed, blocked.Publish("x"u8, 0, 0, Deadline.Never)));
            Background wait = Run(() => Assert.Equal(IpcStatus.Closed, writer.WaitForReaders(9, Deadline.Never)));
            if (round % 2 == 0 && mode == WaitMode.Block)
            {
                read.UntilAsleep();
                write.UntilAsleep();
                wait.UntilAsleep();
            }

            reader.Dispose();
            blocked.Dispose();
            writer.Dispose();
            read.Join();
            write.Join();
            wait.Join();
            full.Dispose();
        }
    }

    [Fact]
    public void DisposeIsSafeInTheMiddleOfTraffic()
    {
        for (int round = 0; round < 100; round++)
        {
            TopicWriter writer = TopicWriter.Open(Name, Eight());
            TopicReader reader = TopicReader.Open(Name, Eight());
            Background write = Run(() =>
            {
                while (writer.Publish("some bytes"u8, 1, 2, Hang) == IpcStatus.Ok)
                {
                    // until it is closed
                }

                Assert.Equal(IpcStatus.Closed, writer.Publish("x"u8, 1, 2, Hang));
            });
            Background read = Run(() =>
            {
                while (reader.Read(out TopicMessage message, Hang) == IpcStatus.Ok)
                {
                    Assert.Equal(10, message.Payload.Length);
                    reader.Release();
                }

                Assert.Equal(IpcStatus.Closed, reader.TryRead(out _));
            });
            for (int i = 0; i < round % 10; i++)
                Thread.Yield();
            writer.Dispose();
            reader.Dispose();
            write.Join();
            read.Join();
        }
    }

    [Fact]
    public void AClosedEndDoesNothing()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader(), other = Reader();
        Publish(writer, 0, 2);
        Assert.True(writer.TryClaim(8, out TopicClaim claim));
        Next(reader);
        writer.Dispose();
        reader.Dispose();
        writer.Dispose();
        claim.Commit();
        claim.Abandon();
        Assert.False(writer.TryPublish("x"u8));
        Assert.Equal(IpcStatus.Closed, writer.Publish("x"u8, 0, 0, Hang));
        Assert.Equal(IpcStatus.Closed, writer.WaitForReaders(0, Hang));
        Assert.Equal(IpcStatus.Closed, reader.TryRead(out _));
        Assert.Equal(IpcStatus.Closed, reader.Read(out _, Hang));
        Assert.Equal(IpcStatus.Closed, reader.Wait(Hang));
        Assert.Equal(IpcStatus.Closed, reader.Release());
        Assert.Equal(IpcStatus.Closed, reader.Rejoin());
        Assert.Empty(reader.GetParticipants());
        Assert.Equal(0, reader.GetInfo().Readers);
        writer.Stop();
        writer.TrimLoans();
        Assert.Equal(Numbers(0, 2), Drain(other)); // and the claim is a gap
    }

    [Fact]
    public void WhoAttachesIsAnnouncedBeforeItHoldsAnybodyUp()
    {
        TopicWriter writer = Writer();
        using LiveRegion bytes = Look(Name);
        uint before = bytes[256] >> 1; // `change`, without the sleeper's bit
        Reader();
        Assert.Equal(before + 2, bytes[256] >> 1); // once before it joins, once when it has
        Assert.Equal(1, writer.ReaderCount);
    }

    [Fact]
    public void EventsTellWhoComesAndGoes()
    {
        TopicReader reader = Reader();
        List<(ParticipantChange, int, ParticipantRole)> seen = new();
        reader.ParticipantChanged += (_, change) =>
        {
            lock (seen)
                seen.Add((change.Change, change.Participant.Index, change.Participant.Role));
        };
        int Count()
        {
            lock (seen)
                return seen.Count;
        }

        Watchdog.Until(() => Count() == 1, "itself");
        TopicWriter writer = Writer();
        Watchdog.Until(() => Count() == 2, "the writer");
        Assert.Equal(2, reader.GetParticipants().Length);
        writer.Dispose();
        Watchdog.Until(() => Count() == 3, "its leaving");
        Assert.Equal(
            new[]
            {
                (ParticipantChange.Attached, reader.Index, ParticipantRole.Reader), (ParticipantChange.Attached, writer.Index, ParticipantRole.Writer),
                (ParticipantChange.Left, writer.Index, ParticipantRole.Writer),
            }, seen);
    }
}
