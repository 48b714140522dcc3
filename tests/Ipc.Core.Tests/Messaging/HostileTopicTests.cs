using System;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A participant writes nonsense, or dies in the middle of something: a typed error, a gap, and nothing hangs.</summary>
public sealed class HostileTopicTests : TopicTest
{
    private const int Flags = 40, PoolOffset = 48, Tail = 128, Active = 512; // in the body
    private const uint DeadProcess = 0x3FFF_FFFF;

    private static long Slot(LiveRegion bytes, ulong position) => (long)bytes.U64(bytes.Body + 24) + (long)(position % Slots) * 128;

    private static long Seat(LiveRegion bytes, int index) => (long)bytes.U64(bytes.Body + 32) + index * 128;

    public static TheoryData<ulong> BadWords => new()
    {
        1UL << 32 | 1 << 16 | 3,      // Reading: no such thing here
        1UL << 32 | 1 << 16 | 5,
        1UL << 32 | 1 << 16 | 0x102,  // Ready and sealed
        1UL << 32 | 1 << 16 | 0x202,
        1UL << 32 | 0 << 16 | 2,      // Ready, of nobody
        1UL << 32 | 0xFFFFUL << 16 | 2,
        1UL << 32,                    // Free in its own lap
        2UL << 32 | 1 << 16 | 2,      // overwritten, although somebody waits for it
        0xFFFF_FFFFUL << 32 | 2,      // two laps behind
        1UL << 32 | 0x404,            // it cannot have been reclaimed
    };

    [Theory]
    [MemberData(nameof(BadWords))]
    public void ABadSlotIsCorruptForAReliableReader(ulong word)
    {
        Writer();
        TopicReader reader = Reader();
        using LiveRegion bytes = Look(Name);
        bytes.U64(Slot(bytes, Slots), word);
        for (int again = 0; again < 2; again++)
        {
            Assert.Throws<CorruptRegionException>(() => reader.TryRead(out _));
            Assert.Throws<CorruptRegionException>(() => reader.Read(out _, Hang));
        }
    }

    [Theory]
    [MemberData(nameof(BadWords))]
    public void ABadSlotNeverHangsALossyReader(ulong word)
    {
        Writer();
        foreach (TopicPolicy policy in new[] { TopicPolicy.Lossy, TopicPolicy.Latest })
        {
            TopicReader reader = Reader(policy);
            using LiveRegion bytes = Look(Name);
            bytes.U64(Slot(bytes, Slots), word);
            try
            {
                for (int i = 0; i < 3; i++)
                    Assert.Equal(IpcStatus.Empty, reader.TryRead(out _));
            }
            catch (CorruptRegionException)
            {
                // that is as good an answer
            }
        }
    }

    [Theory]
    [InlineData(0x7FFF_FFFFUL, 0UL)]
    [InlineData(0x7FFF_FFFFUL, ulong.MaxValue)]
    [InlineData(0x7FFF_FFFFUL, 1UL)] // behind the reader
    [InlineData(3UL, 0UL)]
    public void SlotsOfALapThatNobodyHasReachedAreDamage(ulong lap, ulong tail)
    {
        Writer();
        foreach (TopicPolicy policy in new[] { TopicPolicy.Lossy, TopicPolicy.Latest })
        {
            TopicReader reader = Reader(policy);
            using LiveRegion bytes = Look(Name);
            for (ulong i = 0; i < Slots; i++)
                bytes.U64(Slot(bytes, i), lap << 32 | 1 << 16 | 2);
            if (tail != 0)
                bytes.U64(bytes.Body + Tail, tail);
            Assert.Throws<CorruptRegionException>(() => reader.TryRead(out _));
        }
    }

    [Theory]
    [InlineData(65UL)]
    [InlineData(0xFFFF_FFFFUL)]
    [InlineData(0x0002_0000_0000_0008UL)] // an unknown flag
    [InlineData(0x0001_0000_0000_0008UL)] // a loan, and no pool
    public void ABadLengthIsCorrupt(ulong description)
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader(), lossy = Reader(TopicPolicy.Lossy);
        Publish(writer, 0, 1);
        using LiveRegion bytes = Look(Name);
        bytes.U64(Slot(bytes, Slots) + 8, description);
        Assert.Throws<CorruptRegionException>(() => reader.TryRead(out _));
        Assert.Throws<CorruptRegionException>(() => lossy.TryRead(out _));
    }

    [Theory]
    [InlineData(0UL, 0UL)]                          // a block that is not published
    [InlineData(0xFFFFUL, 0UL)]                     // class
    [InlineData(0xFFFF_FFFF_0000_0000UL, 0UL)]      // index
    [InlineData(3UL, 1UL)]                          // generation
    [InlineData(3UL, 0x7FFF_FFFFUL << 32)]          // length
    [InlineData(3UL, 19_999UL << 32)]               // another length than the slot says
    public void ABadLoanIsCorrupt(ulong low, ulong high)
    {
        TopicWriter writer = Writer(Eight(budget: 1 << 20));
        TopicReader reader = Reader(), lossy = Reader(TopicPolicy.Lossy);
        Assert.True(writer.TryPublish(new byte[20_000]));
        using LiveRegion bytes = Look(Name);
        long payload = Slot(bytes, Slots) + 32;
        Assert.Equal(3UL, bytes.U64(payload)); // class 3
        bytes.U64(payload, low);
        bytes.U64(payload + 8, high == 0 ? 20_000UL << 32 : high);
        Assert.Throws<CorruptRegionException>(() => reader.TryRead(out _));
        Assert.Throws<CorruptRegionException>(() => lossy.TryRead(out _));
        for (int i = 0; i < 2 * Slots; i++)
            writer.TryPublish(new byte[8]); // and frees nothing that is not its own
    }

    [Theory]
    [InlineData(0UL, true)] // behind: helped on
    [InlineData(1UL, true)]
    [InlineData(Slots + 3UL, true)]
    [InlineData(ulong.MaxValue, true)]
    [InlineData(100UL, false)] // ahead: at a slot that is not of the lap before
    [InlineData(1UL << 34, false)]
    public void ABadTailStopsNobodyForEver(ulong tail, bool works)
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader();
        Publish(writer, 0, 3);
        Assert.Equal(Numbers(0, 3), Drain(reader));
        using LiveRegion bytes = Look(Name);
        bytes.U64(bytes.Body + Tail, tail);
        if (works)
        {
            Assert.True(writer.TryPublish("x"u8));
        }
        else
        {
            Assert.Equal(IpcStatus.Timeout, writer.Publish("x"u8, 0, 0, Deadline.FromMilliseconds(10))); // by that number the reader is far behind
            reader.Dispose();
            Assert.Throws<CorruptRegionException>(() => writer.Publish("x"u8, 0, 0, Hang));
        }

        bytes.U64(bytes.Body + Tail, Slots + 3);
    }

    [Theory]
    [InlineData(0, 0UL)]                // magic
    [InlineData(4, 7UL)]                // block size
    [InlineData(4, 12UL)]
    [InlineData(4, (16 << 20) + 8UL)]
    [InlineData(8, 0UL)]                // slots
    [InlineData(8, 7UL)]
    [InlineData(8, 1UL << 21)]
    [InlineData(8, 1UL << 10)]          // more than there is room for
    [InlineData(12, 0UL)]               // readers
    [InlineData(12, 1025UL)]
    [InlineData(16, 64UL)]              // stride
    [InlineData(24, 0UL)]               // slots offset
    [InlineData(24, 8UL)]
    [InlineData(24, 1UL << 40)]
    [InlineData(32, 0UL)]               // readers offset
    [InlineData(32, 1UL << 63)]
    [InlineData(PoolOffset, 4096UL)]    // over the table
    [InlineData(PoolOffset, 1UL << 40)]
    [InlineData(PoolOffset, 77UL)]
    public void ABadHeaderIsRefusedByWhoAttaches(int offset, ulong value)
    {
        Writer(Eight(budget: 1 << 20));
        using LiveRegion bytes = Look(Name);
        ulong before = bytes.U64(bytes.Body + offset);
        if (offset < 16)
            bytes[bytes.Body + offset] = (uint)value;
        else
            bytes.U64(bytes.Body + offset, value);
        Assert.Throws<CorruptRegionException>(() => TopicReader.Open(Name));
        Assert.Throws<CorruptRegionException>(() => TopicWriter.Open(Name));
        bytes.U64(bytes.Body + offset, before);
        Reader();
    }

    [Fact]
    public void RandomBytesNeverCrash()
    {
        Random random = new(7);
        for (int round = 0; round < 200; round++)
        {
            string name = $"random{round}";
            try
            {
                using TopicWriter writer = TopicWriter.Open(name, Eight(budget: 64 << 10));
                using TopicReader reliable = TopicReader.Open(name, Eight()), latest = TopicReader.Open(name, Eight(), new TopicReaderOptions { Policy = TopicPolicy.Latest });
                using TopicReader lossy = TopicReader.Open(name, Eight(), new TopicReaderOptions { Policy = TopicPolicy.Lossy });
                for (int i = 0; i < 6; i++)
                    writer.TryPublish(new byte[i * 1000]);
                using LiveRegion bytes = Look(name);
                for (int i = 0; i < 40; i++)
                    bytes.Write(bytes.Body + 64 + random.Next((int)Math.Min(bytes.Length - bytes.Body - 64, round % 2 == 0 ? 1 << 14 : 1 << 17)), new[] { (byte)random.Next(256) });
                foreach (TopicReader reader in new[] { reliable, lossy, latest })
                {
                    try
                    {
                        for (int i = 0; i < 30 && reader.TryRead(out TopicMessage message) == IpcStatus.Ok; i++)
                        {
                            _ = message.Payload.ToArray();
                            reader.Release();
                            writer.Publish(new byte[random.Next(3000)], 0, 0, Deadline.Now);
                        }
                    }
                    catch (IpcException)
                    {
                        // refused, with whatever error: what counts is that we are still here
                    }
                }
            }
            catch (IpcException)
            {
                // as above
            }
        }

        LeavesFiles = true;
    }

    [Fact]
    public void WhateverStandsInATopicEveryCallReturns()
    {
        int rounds = Switches.LongRuns ? 5_000 : 60;
        for (int round = 0; round < rounds; round++)
        {
            Random random = new(round);
            using TopicWriter writer = TopicWriter.Open("noise", Eight(budget: 64 << 10));
            using LiveRegion bytes = Look("noise");
            TopicReader[] readers = Enum.GetValues<TopicPolicy>().Select(policy => TopicReader.Open("noise", Eight(), new TopicReaderOptions { Policy = policy })).ToArray();
            for (int step = 0; step < 60; step++)
            {
                for (int i = random.Next(1, 12); i > 0; i--)
                    bytes.U64(SomePlace(random, bytes), SomeWord(random));
                Try(() => writer.Publish(new byte[random.Next(4) == 0 ? 3000 : 8], 1, (ulong)random.Next(4), Soon()));
                foreach (TopicReader reader in readers)
                {
                    Try(() =>
                    {
                        if (reader.Read(out TopicMessage message, Soon()) != IpcStatus.Ok)
                            return;
                        _ = message.Payload.ToArray();
                        reader.Release();
                    });
                }
            }

            foreach (TopicReader reader in readers)
                Try(reader.Dispose);
        }

        LeavesFiles = true; // one that can no longer say that it is the last stays

        static Deadline Soon() => Deadline.After(TimeSpan.FromMicroseconds(100));
    }

    private static long SomePlace(Random random, LiveRegion bytes) => random.Next(8) switch
    {
        0 => bytes.Body + Tail,
        1 => bytes.Body + Active + (random.Next(64) * 8),
        2 => Seat(bytes, random.Next(8)) + (random.Next(6) * 8),
        _ => Slot(bytes, (ulong)random.Next((int)Slots)) + (random.Next(5) * 8),
    };

    private static ulong SomeWord(Random random) => random.Next(6) switch
    {
        0 => (ulong)random.NextInt64(long.MinValue, long.MaxValue),
        1 => (ulong)random.Next(256),
        2 => ulong.MaxValue,
        3 => (ulong)random.Next(3 * (int)Slots), // nearly a position
        _ => ((ulong)random.Next(8) << 32) | ((ulong)random.Next(3) << 16) | ((uint)random.Next(8) << 8) | (uint)random.Next(6), // nearly a state
    };

    private static void Try(Action action)
    {
        try
        {
            action();
        }
        catch (IpcException error)
        {
            Assert.NotEmpty(error.Message);
        }
    }

    [Fact]
    public void ADeadWritersClaimBecomesAGap()
    {
        TopicWriter alive = Writer(Eight(budget: 1 << 20));
        TopicReader reader = Reader();
        TopicWriter dead = Writer();
        Publish(alive, 0, 1);
        Assert.True(dead.TryClaim(20_000, out _));
        Publish(alive, 1, 1);
        using LiveRegion bytes = Look(Name);
        int index = dead.Index;
        Assert.Equal(0, Next(reader));
        IsEmpty(reader); // it may still come
        uint generation = Forge(bytes, index);
        dead.Dispose(); // gives its own claim back ...
        bytes.U64(Slot(bytes, Slots + 1), 1UL << 32 | (ulong)(index + 1) << 16 | 1); // ... but this is how a killed one leaves it
        bytes[1024 + index * 128 + 4] = generation;
        bytes[1024 + index * 128] = 1;
        Reader(TopicPolicy.Lossy).Dispose(); // whoever comes cleans up
        Assert.Equal(new[] { 1 }, Drain(reader));
        Assert.Equal(0x0000_0001_0000_0004UL, bytes.U64(Slot(bytes, Slots + 1)) & ~0xFFFF_0000UL);
        Assert.Equal(1, alive.WriterCount);
    }

    [Fact]
    public void ADeadReaderHoldsNobodyUp()
    {
        TopicWriter writer = Writer();
        TopicReader dead = Reader();
        Publish(writer, 0, Slots);
        Assert.False(writer.TryPublish("x"u8));
        using LiveRegion bytes = Look(Name);
        int index = dead.Index;
        uint state = bytes[Seat(bytes, index)];
        dead.Dispose();
        Forge(bytes, index);
        bytes[1024 + index * 128] = 1;
        bytes[Seat(bytes, index)] = state;
        bytes.Or(bytes.Body + Active, 1UL << index);
        using TopicWriter second = TopicWriter.Open(Name, Eight());
        Assert.Equal(0u, bytes[Seat(bytes, index)] & 0xFF);
        Assert.Equal(state & ~0xFFu, bytes[Seat(bytes, index)]); // its joins are still counted
        Assert.Equal(0UL, bytes.U64(bytes.Body + Active));
        Publish(writer, Slots, 2 * Slots);
    }

    /// <summary>Makes the participant somebody who is not there.</summary>
    private static uint Forge(LiveRegion bytes, int index)
    {
        bytes[1024 + index * 128 + 8] = DeadProcess;
        return bytes[1024 + index * 128 + 4];
    }
}
