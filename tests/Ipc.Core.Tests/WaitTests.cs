using System;
using System.Diagnostics;
using System.Threading;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

public sealed class WaitTests : RegionTest
{
    private static readonly Deadline s_soon = Deadline.Now;

    public static TheoryData<WaitMode> Modes => new() { WaitMode.Adaptive, WaitMode.Spin, WaitMode.Block };

    private RingWriter Writer(WaitMode mode = WaitMode.Adaptive) => Own(RingWriter.Open("ring", Small(wait: mode)));

    private RingReader Reader(WaitMode mode = WaitMode.Adaptive) => Own(RingReader.Open("ring", Small(wait: mode)));

    [Theory]
    [MemberData(nameof(Modes))]
    public void AWaitWithoutTimeReturnsAtOnce(WaitMode mode)
    {
        RingWriter writer = Writer(mode);
        RingReader reader = Reader(mode);
        Assert.Equal(IpcStatus.Timeout, reader.Read(out _, s_soon));
        Assert.Equal(IpcStatus.Timeout, reader.Wait(s_soon));
        Fill(writer);
        Assert.Equal(IpcStatus.Timeout, writer.Claim(8, out _, s_soon));
    }

    [Fact]
    public unsafe void AWaitBesideItsPeerDoesNotSpin()
    {
        if (Processors.IsSpinningUseless)
            Assert.Skip("with one processor there is no spinning at all");
        PlaceOfPeer place = new();
        WaiterWords waiter = default;
        WaitControl control = new(new WaitStyle(WaitMode.Adaptive), &waiter, null, place: place);
        NothingComes condition = default;
        ulong budget = control.SpinNanoseconds;

        // Elsewhere: it spins, and learns that it was for nothing.
        Assert.Equal(IpcStatus.Timeout, control.Wait(ref condition, &waiter, Deadline.FromMilliseconds(100), None));
        Assert.Equal(budget / 2, control.SpinNanoseconds);
        Assert.NotEqual(0, place.Asked);

        // On the same processor: it sleeps at once, which is no lesson about spinning. The next wait asks before it looks.
        place.IsHere = true;
        for (int i = 0; i < 2; i++)
        {
            Assert.Equal(IpcStatus.Timeout, control.Wait(ref condition, &waiter, Deadline.FromMilliseconds(100), None));
            Assert.Equal(budget / 2, control.SpinNanoseconds);
        }

        Assert.NotEqual(0, place.Noted); // it has slept, and may have woken elsewhere

        place.IsHere = false;
        Assert.Equal(IpcStatus.Timeout, control.Wait(ref condition, &waiter, Deadline.FromMilliseconds(100), None));
        Assert.Equal(budget / 4, control.SpinNanoseconds);
    }

    [Fact]
    public unsafe void BothEndsOfARingSayWhereTheyAre()
    {
        RingWriter writer = Writer();
        RingReader reader = Reader();
        RingHeader* header = (RingHeader*)(reader.View.Base + reader.Geometry.HeaderOffset);
        Assert.Equal(IpcStatus.Timeout, reader.Read(out _, Deadline.FromMilliseconds(100)));
        Assert.InRange(header->ReaderProcessor, 1u, (uint)Environment.ProcessorCount + 1024);
        Assert.Equal(0u, header->WriterProcessor);
        Atomic.TryOr(&header->Data.Word, WaiterWords.SleeperBit);
        Assert.Equal(IpcStatus.Ok, writer.Write(new byte[1], 0, Hang)); // wakes
        Assert.InRange(header->WriterProcessor, 1u, (uint)Environment.ProcessorCount + 1024);
    }

    private sealed class PlaceOfPeer : IPeerPlace
    {
        public bool IsHere { get; set; }

        public int Asked { get; private set; }

        public int Noted { get; private set; }

        public bool IsPeerHere()
        {
            Asked++;
            return IsHere;
        }

        public void NotePlace() => Noted++;
    }

    private readonly struct NothingComes : IWaitCondition
    {
        public ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue() => false;

        public IpcStatus PeerStatus() => IpcStatus.Ok;

        public bool BeforeSleep() => true;
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void ATimedWaitLastsItsTime(WaitMode mode)
    {
        RingWriter writer = Writer(mode);
        RingReader reader = Reader(mode);
        long began = Stopwatch.GetTimestamp();
        Assert.Equal(IpcStatus.Timeout, reader.Read(out _, Deadline.FromMilliseconds(60)));
        Fill(writer);
        Assert.Equal(IpcStatus.Timeout, writer.Write(new byte[8], 0, Deadline.FromMilliseconds(60)));
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalMilliseconds, 120, 30_000);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AWaitingReaderGetsWhatIsPublished(WaitMode mode)
    {
        RingWriter writer = Writer(mode);
        RingReader reader = Reader(mode);
        Background waiting = Run(() =>
        {
            for (int i = 0; i < 2000; i++)
            {
                Assert.Equal(IpcStatus.Ok, reader.Read(out RingRecord record, Hang));
                Assert.Equal((ushort)i, record.Type);
                reader.Release();
            }
        });
        for (int i = 0; i < 2000; i++)
            Assert.Equal(IpcStatus.Ok, writer.Write(new byte[i % 300], (ushort)i, Hang));
        waiting.Join();
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void PingPongNeverLosesAWake(WaitMode mode)
    {
        int rounds = mode == WaitMode.Spin && Environment.ProcessorCount < 2 ? 50 : 5000;
        using RingWriter there = RingWriter.Open("there", Small(wait: mode));
        using RingReader thereReader = RingReader.Open("there", Small(wait: mode));
        using RingWriter back = RingWriter.Open("back", Small(wait: mode));
        using RingReader backReader = RingReader.Open("back", Small(wait: mode));
        Background echo = Run(() =>
        {
            for (int i = 0; i < rounds; i++)
            {
                Assert.Equal(IpcStatus.Ok, thereReader.Read(out RingRecord record, Hang));
                Assert.Equal(IpcStatus.Ok, back.Write(record.Payload, record.Type, Hang));
                thereReader.Release();
            }
        });
        for (int i = 0; i < rounds; i++)
        {
            Assert.Equal(IpcStatus.Ok, there.Write(new byte[64], (ushort)i, Hang));
            Assert.Equal(IpcStatus.Ok, backReader.Read(out RingRecord record, Hang));
            Assert.Equal((ushort)i, record.Type);
            backReader.Release();
        }

        echo.Join();
    }

    [Fact]
    public void AWriterWaitsForRoomAndAReaderThatReleasesGivesIt()
    {
        RingWriter writer = Writer(WaitMode.Block);
        RingReader reader = Reader(WaitMode.Block);
        Fill(writer);
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, writer.Write(new byte[2000], 77, Hang)));
        waiting.UntilAsleep();
        RingRecord record;
        do
        {
            Assert.Equal(IpcStatus.Ok, reader.Read(out record, Hang));
            reader.Release();
        }
        while (record.Type != 77);
        waiting.Join();
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void StopEndsEveryWaitUntilResumed(WaitMode mode)
    {
        RingWriter writer = Writer(mode);
        RingReader reader = Reader(mode);
        Fill(writer);
        for (int i = 0; i < 20; i++)
        {
            Background write = Run(() => Assert.Equal(IpcStatus.Stopped, writer.Claim(8, out _, Deadline.Never)));
            writer.Stop();
            write.Join();
            Assert.Equal(IpcStatus.Stopped, writer.Claim(8, out _, Deadline.Never));
            writer.Resume();
        }

        while (reader.TryRead(out _))
            reader.Release();
        for (int i = 0; i < 20; i++)
        {
            Background read = Run(() => Assert.Equal(IpcStatus.Stopped, reader.Read(out _, Deadline.Never)));
            reader.Stop();
            read.Join();
            reader.Resume();
        }

        reader.Stop();
        Assert.True(writer.TryWrite("seen"u8));
        Assert.Equal(IpcStatus.Ok, reader.Read(out RingRecord record, Deadline.Never)); // needs no waiting
        Assert.Equal(4, record.Payload.Length);
        Assert.Equal(IpcStatus.Stopped, reader.Read(out record, Deadline.Never));
        Assert.True(record.Payload.IsEmpty);
        reader.Resume();
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AWaitCanBeCancelledWithAnInfiniteDeadline(WaitMode mode)
    {
        RingWriter writer = Writer(mode);
        RingReader reader = Reader(mode);
        Fill(writer);
        for (int i = 0; i < 20; i++)
        {
            using CancellationTokenSource cancel = new();
            Background write = Run(() => Assert.Equal(IpcStatus.Cancelled, writer.Claim(8, out _, Deadline.Never, cancel.Token)));
            cancel.Cancel();
            write.Join();
        }

        while (reader.TryRead(out _))
            reader.Release();
        for (int i = 0; i < 20; i++)
        {
            using CancellationTokenSource cancel = new();
            Background read = Run(() => Assert.Equal(IpcStatus.Cancelled, reader.Read(out _, Deadline.Never, cancel.Token)));
            if (mode == WaitMode.Block)
                read.UntilAsleep();
            cancel.Cancel();
            read.Join();
        }
    }

    [Fact]
    public void AWaitForAPeerEndsWhenOneComes()
    {
        RingWriter writer = Writer();
        Assert.Equal(PeerState.NeverAttached, writer.Peer);
        Assert.Equal(IpcStatus.Timeout, writer.WaitForPeer(Deadline.FromMilliseconds(20)));
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, writer.WaitForPeer(Hang)));
        RingReader reader = Reader();
        waiting.Join();
        Assert.Equal(PeerState.Live, writer.Peer);
        Assert.Equal(IpcStatus.Ok, reader.WaitForPeer(Deadline.Now));
    }

    [Fact]
    public void WhatWasPublishedIsReadBeforeTheEnd()
    {
        RingWriter writer = Writer();
        RingReader reader = Reader();
        for (ushort i = 0; i < 3; i++)
            Assert.True(writer.TryWrite(new byte[8], i));
        writer.Dispose();
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(IpcStatus.Ok, reader.Read(out RingRecord record, Hang));
            Assert.Equal(i, record.Type);
        }

        Assert.Equal(IpcStatus.PeerClosed, reader.Read(out _, Hang));
        Assert.Equal(PeerState.Left, reader.Peer);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AReaderThatWaitsLearnsThatTheWriterLeft(WaitMode mode)
    {
        for (int i = 0; i < 20; i++)
        {
            using RingReader reader = RingReader.Open("ring", Small(wait: mode));
            using RingWriter writer = RingWriter.Open("ring");
            Background waiting = Run(() => Assert.Equal(IpcStatus.PeerClosed, reader.Read(out _, Deadline.Never)));
            writer.Dispose();
            waiting.Join();
        }
    }

    [Fact]
    public void AWriterOfAFullRingLearnsThatTheReaderLeft()
    {
        RingWriter writer = Writer(WaitMode.Block);
        using RingReader reader = RingReader.Open("ring");
        Fill(writer);
        Background waiting = Run(() => Assert.Equal(IpcStatus.PeerClosed, writer.Claim(8, out _, Deadline.Never)));
        waiting.UntilAsleep();
        reader.Dispose();
        waiting.Join();
    }

    [Fact]
    public void APeerThatComesLaterEndsTheWaitForRoom()
    {
        RingWriter writer = Writer(WaitMode.Block);
        Fill(writer);
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, writer.Write("more"u8, 9, Hang)));
        waiting.UntilAsleep();
        RingReader reader = Reader();
        RingRecord record;
        do
        {
            Assert.Equal(IpcStatus.Ok, reader.Read(out record, Hang));
            reader.Release();
        }
        while (record.Type != 9);
        waiting.Join();
    }

    /// <summary>Dispose while other threads are in every sort of call: all return Closed, nothing crashes.</summary>
    [Fact]
    public void ADisposeStormEndsInClosed()
    {
        for (int round = 0; round < 1000; round++)
        {
            WaitMode mode = (WaitMode)(round % 3);
            RingWriter writer = RingWriter.Open("ring", Small(wait: mode));
            RingReader reader = RingReader.Open("ring", Small(wait: mode));
            if (round % 2 == 0)
                Fill(writer);
            Background read = Run(() =>
            {
                IpcStatus status;
                while ((status = reader.Read(out _, Deadline.Never)) == IpcStatus.Ok)
                {
                    // not released: the ring fills and the writer waits
                }

                Assert.True(status is IpcStatus.Closed or IpcStatus.PeerClosed, status.ToString());
            });
            Background write = Run(() =>
            {
                IpcStatus status;
                while ((status = writer.Write(new byte[100], 0, Deadline.Never)) == IpcStatus.Ok)
                {
                    // until it is full
                }

                Assert.True(status is IpcStatus.Closed or IpcStatus.PeerClosed, status.ToString());
            });
            Background first = Run(writer.Dispose);
            Background second = Run(reader.Dispose);
            first.Join();
            second.Join();
            read.Join();
            write.Join();
            Assert.True(SharedStorage.Clear("ring") || round % 2 != 0, "a ring that was filled stays with its records");
        }
    }

    [Fact]
    public void AClosedEndDoesNothing()
    {
        RingWriter writer = RingWriter.Open("ring", Small());
        RingReader reader = RingReader.Open("ring");
        Assert.True(writer.TryWrite("x"u8));
        Assert.True(writer.TryClaim(4, out Span<byte> claimed));
        Assert.True(reader.TryRead(out RingRecord record));
        writer.Dispose();
        reader.Dispose();
        claimed.Fill(1); // still memory: the claim was open
        Assert.Equal((byte)'x', record.Payload[0]);
        writer.Commit(4);
        writer.Flush();
        writer.Abandon();
        reader.Release();
        Assert.False(writer.TryClaim(1, out _));
        Assert.False(writer.TryWrite("x"u8));
        Assert.False(reader.TryRead(out _));
        Assert.Equal(IpcStatus.Closed, writer.Claim(1, out _, Deadline.Never));
        Assert.Equal(IpcStatus.Closed, reader.Read(out _, Deadline.Never));
        Assert.Equal(IpcStatus.Closed, reader.Wait(Deadline.Never));
        Assert.Equal(IpcStatus.Closed, reader.WaitForPeer(Deadline.Never));
        Assert.Equal(PeerState.Left, reader.Peer);
        reader.Stop();
        reader.Resume();
        writer.Dispose();
    }

    [Fact]
    public void NothingIsLeftAsleepOnAWordThatSaysNobodySleeps()
    {
        RingWriter writer = Writer(WaitMode.Block);
        RingReader reader = Reader(WaitMode.Block);
        using LiveRegion bytes = Look("ring");
        long word = bytes.Body + Wire.Ring.Data;
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, reader.Wait(Hang)));
        Ipc.Testing.Drive.Watchdog.Until(() => (bytes[word] & 1) == 1, "the sleeper's flag");
        uint before = bytes[word];
        Assert.True(writer.TryWrite("x"u8));
        waiting.Join();
        Assert.Equal((before & ~1u) + 2, bytes[word]);
    }

    private static void Fill(RingWriter writer)
    {
        while (writer.TryWrite(new byte[56]))
        {
            // until not even a line is free
        }
    }
}
