using System;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A participant writes nonsense into a queue: a typed error with both values, nothing outside touched, nothing hangs.</summary>
public sealed class HostileQueueTests : QueueTest
{
    private static readonly ulong[] s_numbers = [0, 1, 2, 3, 7, 100, 4095, 1 << 20, (1 << 20) + 1, int.MaxValue, uint.MaxValue, 1UL << 40, 1UL << 63, ulong.MaxValue];

    private SharedQueue Persistent()
    {
        QueueOptions options = new() { BlockSize = 64, BlockCount = 4, MaxExpansions = 1, LoanBudget = 8192, Lifetime = Lifetime.Persistent };
        return Own(SharedQueue.Open("queue", options));
    }

    [Theory]
    [InlineData(At.Magic, 4)]
    [InlineData(At.BlockSize, 4)]
    [InlineData(At.SlotCount, 4)]
    [InlineData(At.SegmentLimit, 4)]
    [InlineData(At.Stride, 8)]
    [InlineData(At.SegmentsOffset, 8)]
    [InlineData(At.SegmentStride, 8)]
    [InlineData(At.Distance, 4)]
    [InlineData(At.PoolOffset, 8)]
    [InlineData(At.Segments, 4)]
    public void AHeaderThatIsNotAQueuesIsRefused(int field, int width)
    {
        LeavesFiles = true;
        Persistent().Dispose();
        byte[] bytes = Regions.Read("queue");
        int body = (int)new Image(bytes).U64(Wire.Region.BodyOffset);
        int refused = 0;
        foreach (ulong number in s_numbers)
        {
            Image image = new((byte[])bytes.Clone());
            if (image.Read(body + field, width) == (width == 4 ? (uint)number : number))
                continue;
            image.Write(body + field, width, number);
            Regions.Place("bad", image.Bytes);
            try
            {
                using SharedQueue queue = SharedQueue.Open("bad");
                Use(queue);
            }
            catch (CorruptRegionException error)
            {
                refused++;
                Assert.Equal(IpcStatus.Corrupt, error.Status);
            }
        }

        Assert.InRange(refused, 5, s_numbers.Length); // some numbers are possible ones
    }

    [Fact]
    public void NoSlotStateDoesHarm()
    {
        foreach (uint lap in new uint[] { 0, 1, 2, 0x7FFFFFFF, 0x80000000, uint.MaxValue })
        {
            foreach (uint low in new uint[] { 0, 1, 2, 3, 4, 5, 255, 0x100, 0x102, 0x201, 0x202, 0x203, 0x302, 0xFF02, 0x10000, 0x10001, 0x10002, 0x10003, 0x10102, 0xFFFF0001, 0xFFFF0002, uint.MaxValue })
            {
                using SharedQueue queue = SharedQueue.Open("queue", new QueueOptions { BlockSize = 64, BlockCount = 2, MaxExpansions = (int)(lap & 1), LoanBudget = 0 });
                using LiveRegion bytes = Look("queue");
                bytes.U64(SlotAt(bytes, 0, 0), (ulong)lap << 32 | low);
                Try(() => Use(queue));
            }
        }
    }

    [Fact]
    public void SlotsThatAreAheadOfEachOtherInACircleAreDamage()
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 0 });
        using LiveRegion bytes = Look("queue");
        uint[] laps = [0x55555555, 0xAAAAAAAA, 0xFFFFFFFF, 0xFFFFFFFF]; // laps wrap
        for (int i = 0; i < laps.Length; i++)
            bytes.U64(SlotAt(bytes, 0, i), (ulong)laps[i] << 32);
        Assert.Throws<CorruptRegionException>(() => queue.TryReceive(out _));
        Assert.Throws<CorruptRegionException>(() => queue.Wait(Deadline.After(TimeSpan.FromMilliseconds(1))));
    }

    [Fact]
    public void NoHintDoesHarm()
    {
        foreach (ulong number in s_numbers)
        {
            for (int hint = 0; hint < 7; hint++)
            {
                using SharedQueue queue = SharedQueue.Open("queue", new QueueOptions { BlockSize = 64, BlockCount = 4, MaxExpansions = 2, LoanBudget = 0, Lifetime = Lifetime.WhileUsed });
                for (int i = 0; i < 6; i++)
                    SendNumber(queue, i);
                using LiveRegion bytes = Look("queue");
                int body = bytes.Body;
                long[] hints =
                [
                    SegmentAt(bytes, 1) + At.Tail, SegmentAt(bytes, 0) + At.Head, SegmentAt(bytes, 0) + At.Next, body + At.Send, body + At.Receive,
                    body + At.Orphans, body + At.OrphansCleared,
                ];
                bytes.U64(hints[hint], number);
                Try(() => Use(queue));
            }
        }
    }

    [Theory]
    [InlineData(65, 0)]
    [InlineData(uint.MaxValue, 0)]
    [InlineData(8, 1)]
    [InlineData(8, 2)]
    [InlineData(8, 0xFFFF)]
    public void AMessageThatCannotBeIsReportedAndGone(uint length, uint flags)
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 4096 });
        SendNumber(queue, 0);
        SendNumber(queue, 1);
        using LiveRegion bytes = Look("queue");
        long slot = SlotAt(bytes, 0, 0);
        bytes[slot + 8] = length;
        bytes[slot + 12] = flags << 16;
        bytes[slot + At.Payload] = 0xFFFF; // a class that there is not
        CorruptRegionException error = Assert.Throws<CorruptRegionException>(() => queue.TryReceive(out _));
        Assert.NotEmpty(error.Message);
        ReceiveNumber(queue, 1);
        NothingIn(queue);
        for (int i = 0; i < 4; i++)
            SendNumber(queue, i);
    }

    [Fact]
    public void RandomBytesDoNoHarm()
    {
        Random random = new(11);
        for (int round = 0; round < 300; round++)
        {
            using SharedQueue queue = SharedQueue.Open("queue", new QueueOptions { BlockSize = 64, BlockCount = 4, MaxExpansions = 1, LoanBudget = 8192, Lifetime = Lifetime.WhileUsed });
            for (int i = random.Next(5); i > 0; i--)
                queue.TrySend(new byte[random.Next(200)]);
            using LiveRegion bytes = Look("queue");
            int body = bytes.Body;
            for (int i = random.Next(1, 20); i > 0; i--)
            {
                long at = random.Next(3) switch
                {
                    0 => body + 128 + random.Next((1024 - 128) / 8) * 8,
                    1 => SegmentAt(bytes, random.Next(2)) + random.Next(48) * 8,
                    _ => SlotAt(bytes, random.Next(2), random.Next(4)) + random.Next(8) * 8,
                };
                bytes.U64(at, random.Next(2) == 0 ? (ulong)random.NextInt64() : (ulong)random.Next(4) << 32 | (uint)random.Next(70000));
            }

            Try(() => Use(queue));
        }
    }

    [Fact]
    public void WhateverStandsInAQueueEveryCallReturns()
    {
        int rounds = Switches.LongRuns ? 10_000 : 100;
        for (int round = 0; round < rounds; round++)
        {
            Random random = new(round);
            QueueOptions options = new() { BlockSize = 64, BlockCount = 8, MaxExpansions = round % 3 == 0 ? 0 : 2, LoanBudget = 16384, Lifetime = Lifetime.WhileUsed };
            using SharedQueue queue = SharedQueue.Open("queue", options);
            using LiveRegion bytes = Look("queue");
            using SharedQueue other = SharedQueue.Open("queue", options);
            for (int step = 0; step < 30; step++)
            {
                for (int i = random.Next(1, 20); i > 0; i--)
                {
                    int segment = random.Next(1 + options.MaxExpansions);
                    long at = random.Next(6) switch
                    {
                        0 => bytes.Body + 128 + (random.Next((At.SegmentHeaders - 128) / 8) * 8),
                        1 => SegmentAt(bytes, segment) + (random.Next(At.SegmentHeaderSize / 8) * 8),
                        _ => SlotAt(bytes, segment, random.Next(8)) + (random.Next(5) * 8),
                    };
                    bytes.U64(at, SomeWord(random));
                }

                Try(() => UseSome(random, queue));
                Try(() => UseSome(random, other));
            }
        }

        LeavesFiles = true; // one that can no longer say that it is the last stays
    }

    private static ulong SomeWord(Random random) => random.Next(6) switch
    {
        0 => (ulong)random.NextInt64(long.MinValue, long.MaxValue),
        1 => 0,
        2 => ulong.MaxValue,
        3 => Word((uint)random.Next(4), (uint)random.Next(5), (uint)random.Next(6)) | ((uint)random.Next(8) << 8), // nearly a state
        4 => (ulong)random.Next() & 0x7000F, // nearly a turn, or a position
        _ => (ulong)random.Next(0x10000),
    };

    private static void UseSome(Random random, SharedQueue queue)
    {
        switch (random.Next(7))
        {
            case 0:
            case 1:
                queue.Send(new byte[random.Next(3) == 0 ? 5000 : 64], 1, Soon());
                break;
            case 2:
            case 3:
            case 4:
                if (queue.Receive(out QueueMessage message, Soon()) == IpcStatus.Ok)
                {
                    _ = message.Payload.ToArray();
                    message.Release();
                }

                break;
            case 5:
                queue.Wait(Soon());
                break;
            default:
                queue.GetInfo();
                queue.TrimLoans();
                break;
        }

        static Deadline Soon() => Deadline.After(TimeSpan.FromMicroseconds(100));
    }

    private static void Try(Action action)
    {
        try
        {
            action();
        }
        catch (CorruptRegionException error)
        {
            Assert.NotEmpty(error.Message);
        }
    }

    private static void Use(SharedQueue queue)
    {
        byte[] payload = new byte[100];
        for (int i = 0; i < 12; i++)
        {
            queue.TrySend(payload.AsSpan(0, queue.MaxPayload >= 100 && i % 3 == 0 ? 100 : 8));
            if (!queue.TryReceive(out QueueMessage message))
                continue;
            int sum = 0;
            foreach (byte one in message.Payload)
                sum += one;
            Assert.InRange(sum, 0, int.MaxValue);
            if (i % 2 == 0)
                message.Release();
        }

        queue.Wait(Deadline.Now);
        queue.GetInfo();
        queue.GetParticipants();
    }
}
