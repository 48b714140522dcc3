using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>
/// Shared bytes are rewritten while both sides work: what was checked changes before it is used. Calls return all the same, with an outcome or an <see cref="IpcException"/>, and
/// touch nothing outside of the region: where nothing stands beside its mapping, pages are put there that may not be touched. The twin of tests/native/regions/rewrite_test.c.
/// </summary>
/// <remarks>The seed is printed before the first byte; IPC_REWRITE_SEED=n repeats it, as far as threads let it. IPC_TEST_LONG=1: two minutes for each structure instead of two seconds.</remarks>
public sealed class RewriteTests : RegionTest
{
    private const int Sides = 4;
    private static readonly byte[] _bytes = new byte[5000];
    private static readonly Dictionary<string, (Action<Random> Some, Action<Random> Others)> _work = new()
    {
        ["ring"] = (WriteRing, ReadRing),
        ["queue"] = (SendQueue, ReceiveQueue),
        ["topic"] = (PublishTopic, ReadTopic),
        ["mutex"] = (LockMutex, LockMutex),
        ["semaphore"] = (TakePermit, TakePermit),
    };

    private static volatile bool s_over;

    private static Deadline Moment => Deadline.FromMilliseconds(3);

    [Theory]
    [InlineData("ring")]
    [InlineData("queue")]
    [InlineData("topic")]
    [InlineData("mutex")]
    [InlineData("semaphore")]
    public void ItIsUsedWhileItsBytesAreRewritten(string structure)
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("IPC_REWRITE_SEED"), out int given) ? given : Environment.TickCount;
        Console.WriteLine($"{structure}: IPC_REWRITE_SEED={seed}"); // before anything can end the process
        var random = new Random(seed);
        using var guards = new Guards(Regions.Path);
        long end = Environment.TickCount64 + (Switches.LongRuns ? 120_000 : 2_000);
        while (Environment.TickCount64 < end)
        {
            s_over = false;
            var sides = new List<Background>();
            for (int i = 0; i < Sides; i++)
            {
                Action<Random> work = i % 2 == 0 ? _work[structure].Some : _work[structure].Others;
                var own = new Random(random.Next());
                sides.Add(Run(() => Be(work, own)));
            }

            for (long until = Environment.TickCount64 + 100; Environment.TickCount64 < until;)
            {
                guards.Put();
                RewriteSome(random);
                Thread.Sleep(random.Next(2));
            }

            s_over = true;
            foreach (Background side in sides)
                side.Join();
            foreach (string file in Directory.GetFiles(Regions.Path))
                File.Delete(file); // what it is now nobody can use
        }
    }

    private static void Be(Action<Random> work, Random random)
    {
        while (!s_over)
        {
            try
            {
                work(random);
            }
            catch (IpcException e)
            {
                Assert.NotEmpty(e.Message);
            }
        }
    }

    private static int SomeLength(Random random) => random.Next(4) == 0 ? random.Next(3000, 5000) : random.Next(200);

    private static bool GoesOn(IpcStatus status) => !s_over && status is IpcStatus.Ok or IpcStatus.Timeout or IpcStatus.Abandoned;

    /// <summary>Looks at all of what it was given: a payload that is not in the region is somewhere else.</summary>
    private static int LookAt(ReadOnlySpan<byte> payload)
    {
        int sum = 0;
        foreach (byte each in payload)
            sum += each;
        return sum;
    }

    private static RingOptions Ring() => new() { Capacity = 4096, LoanBudget = 1 << 16 };

    private static void WriteRing(Random random)
    {
        using RingWriter writer = RingWriter.Open("x", Ring());
        while (GoesOn(writer.Write(_bytes.AsSpan(0, SomeLength(random)), 1, Moment)))
        {
        }
    }

    private static void ReadRing(Random random)
    {
        using RingReader reader = RingReader.Open("x", Ring());
        IpcStatus status;
        while (GoesOn(status = reader.Read(out RingRecord record, Moment)))
        {
            if (status == IpcStatus.Ok)
                LookAt(record.Payload);
            if (random.Next(3) == 0)
                reader.Release();
        }
    }

    private static QueueOptions Queue() => new() { BlockSize = 128, BlockCount = 8, MaxExpansions = 2, LoanBudget = 1 << 16 };

    private static void SendQueue(Random random)
    {
        using SharedQueue queue = SharedQueue.Open("x", Queue());
        while (GoesOn(queue.Send(_bytes.AsSpan(0, SomeLength(random)), 1, Moment)))
        {
        }
    }

    private static void ReceiveQueue(Random random)
    {
        using SharedQueue queue = SharedQueue.Open("x", Queue());
        IpcStatus status;
        while (GoesOn(status = queue.Receive(out QueueMessage message, Moment)))
        {
            if (status != IpcStatus.Ok)
                continue;
            LookAt(message.Payload);
            message.Release();
        }
    }

    private static TopicOptions Topic() => new() { BlockSize = 128, BlockCount = 8, LoanBudget = 1 << 16 };

    private static void PublishTopic(Random random)
    {
        using TopicWriter writer = TopicWriter.Open("x", Topic());
        while (GoesOn(writer.Publish(_bytes.AsSpan(0, SomeLength(random)), 1, (ulong)random.Next(4), Moment)))
        {
        }
    }

    private static void ReadTopic(Random random)
    {
        using TopicReader reader = TopicReader.Open("x", Topic(), new TopicReaderOptions { Policy = (TopicPolicy)random.Next(4) });
        IpcStatus status;
        while (GoesOn(status = reader.Read(out TopicMessage message, Moment)))
        {
            if (status != IpcStatus.Ok)
                continue;
            LookAt(message.Payload);
            if (!GoesOn(reader.Release()))
                return;
        }
    }

    private static void LockMutex(Random random)
    {
        using SharedMutex mutex = SharedMutex.Open("x");
        IpcStatus status;
        while (GoesOn(status = mutex.Acquire(Moment)))
        {
            if (status != IpcStatus.Timeout)
                mutex.Release();
        }
    }

    private static void TakePermit(Random random)
    {
        using SharedSemaphore semaphore = SharedSemaphore.Open("x", new SemaphoreOptions { Permits = 3 });
        IpcStatus status;
        while (GoesOn(status = semaphore.Acquire(Moment)))
        {
            if (status != IpcStatus.Timeout)
                semaphore.Release();
        }
    }

    private void RewriteSome(Random random)
    {
        foreach (string path in Directory.GetFiles(Regions.Path))
        {
            try
            {
                using MemoryMappedFile file = MemoryMappedFile.CreateFromFile(path, FileMode.Open);
                using MemoryMappedViewAccessor view = file.CreateViewAccessor();
                for (int i = 0; i < 4 && view.Capacity >= 4096; i++)
                {
                    long end = random.Next(4) == 0 ? view.Capacity : Math.Min(view.Capacity, 8192);
                    long at = random.NextInt64(end / 8) * 8;
                    ulong wrong = Wrong(random, view.ReadUInt64(at));
                    if (random.Next(2) == 0)
                        view.Write(at, wrong);
                    else
                        view.Write(at + (random.Next(2) * 4), (uint)wrong);
                }
            }
            catch (Exception e) when (e is IOException or ArgumentException or UnauthorizedAccessException)
            {
                // It has gone, or has no size yet.
            }
        }
    }

    private static ulong Wrong(Random random, ulong present) => random.Next(8) switch
    {
        0 => 0,
        1 => ulong.MaxValue,
        2 => present + 1,
        3 => present - 1,
        4 => present ^ (1UL << random.Next(64)),
        5 => 1UL << random.Next(64),
        6 => present + (ulong)(random.Next(64) * 64),
        _ => (ulong)random.NextInt64(),
    };

    /// <summary>Pages before and behind the mappings of a folder's files, where there is room for them.</summary>
    private sealed class Guards(string folder) : IDisposable
    {
        private const nuint Size = 1 << 20;
        private readonly HashSet<ulong> _put = [];

        public void Put()
        {
            foreach (string line in File.ReadLines("/proc/self/maps"))
            {
                if (!line.Contains(folder, StringComparison.Ordinal))
                    continue;
                string[] range = line.Split(' ', 2)[0].Split('-');
                Put(ulong.Parse(range[0], NumberStyles.HexNumber, CultureInfo.InvariantCulture) - Size);
                Put(ulong.Parse(range[1], NumberStyles.HexNumber, CultureInfo.InvariantCulture));
            }
        }

        public void Dispose()
        {
            foreach (ulong at in _put)
                _ = munmap((nint)at, Size);
        }

        private void Put(ulong at)
        {
            const int PrivateAnonymousNoReplace = 0x02 | 0x20 | 0x4000 | 0x100000;
            if (_put.Contains(at))
                return;
            nint got = mmap((nint)at, Size, 0, PrivateAnonymousNoReplace, -1, 0); // fails where something stands
            if (got == (nint)at)
                _put.Add(at);
            else if (got != -1)
                _ = munmap(got, Size);
        }

        [DllImport("libc")]
        private static extern nint mmap(nint address, nuint length, int protection, int flags, int file, nint offset);

        [DllImport("libc")]
        private static extern int munmap(nint address, nuint length);
    }
}
