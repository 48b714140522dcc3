using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A pool in a region: many owners who grow it at once, and a file system that has no more memory.</summary>
public sealed unsafe class PoolGrowthTests : RegionTest
{
    private const ulong Budget = 64 * 4096;

    [Fact]
    public void ManyThreadsNeverHoldMoreThanTheBudget()
    {
        Region region = Open(Budget);
        try
        {
            long held = 0;
            long most = 0;
            int taken = 0;
            Background[] threads = new Background[4];
            for (int thread = 0; thread < threads.Length; thread++)
            {
                int seed = thread;
                threads[thread] = Run(() =>
                {
                    Pool pool = Locate(region); // each has its own, as each process would
                    Random random = new(seed);
                    for (int round = 0; round < 2000; round++)
                    {
                        uint length = (uint)random.Next(1, 20 * 4096);
                        if (pool.Take((uint)seed + 1, length, out Loan loan) != IpcStatus.Ok)
                            continue;
                        Interlocked.Increment(ref taken);
                        Raise(ref most, Interlocked.Add(ref held, (long)loan.Capacity));
                        *loan.Bytes = (byte)seed;
                        loan.Bytes[length - 1] = (byte)seed;
                        if (round % 3 == 0)
                            pool.Trim((uint)seed + 1);
                        Assert.True(*loan.Bytes == seed && loan.Bytes[length - 1] == seed);
                        Interlocked.Add(ref held, -(long)loan.Capacity);
                        if (round % 2 == 0)
                        {
                            pool.GiveBack(loan);
                            continue;
                        }

                        Assert.True(pool.Publish(loan, 64));
                        Assert.Null(pool.Resolve(loan.Describe(length), out _));
                        pool.Free(loan.Describe(length));
                    }
                });
            }

            foreach (Background thread in threads)
                thread.Join();
            Assert.InRange(taken, 1000, 8000);
            Assert.InRange(most, 1, (long)Budget);
            Pool after = Locate(region);
            Assert.InRange(after.PresentBytes(), 0UL, Budget);
            after.Trim(1);
            Assert.Equal(0UL, after.PresentBytes());
            Assert.Equal(IpcStatus.Ok, after.Take(1, (uint)Budget, out _)); // nothing is lost
        }
        finally
        {
            Close(region);
        }
    }

    [Fact]
    public void WhoCannotHaveTheGrowthLockIsToldFullAndTakesNothing()
    {
        Region region = Open(Budget);
        Region holder = Open(Budget);
        try
        {
            Pool pool = Locate(region);
            Assert.Equal(IpcStatus.Ok, pool.Take(1, 4096, out Loan loan));
            pool.GiveBack(loan);
            Assert.True(holder.TryLock(Deadline.Never));
            Assert.Equal(IpcStatus.Full, pool.Take(1, 8192, out _));
            Assert.Equal(IpcStatus.Ok, pool.Take(1, 4096, out loan)); // what is present needs no lock
            pool.GiveBack(loan);
            holder.Unlock();
            Assert.Equal(IpcStatus.Ok, pool.Take(1, 8192, out _));
        }
        finally
        {
            Close(holder);
            Close(region);
        }
    }

    [Fact]
    public void AFullFileSystemIsFullAndNotASignal()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "only root can mount a small file system");
        string mount = Directory.CreateTempSubdirectory("ipc-full").FullName;
        Assert.SkipUnless(Shell("mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", mount) == 0, "mounting is not allowed here");
        string before = Environment.GetEnvironmentVariable("IPC_DIR")!;
        try
        {
            Environment.SetEnvironmentVariable("IPC_DIR", mount);
            Region region = Open(16 << 20);
            try
            {
                Pool pool = Locate(region);
                Assert.Equal(IpcStatus.Full, pool.Take(1, 1 << 20, out _));
                Assert.Equal(0UL, pool.PresentBytes()); // what was made of it has been given back:
                Assert.Equal(IpcStatus.Ok, pool.Take(1, 300 << 10, out Loan loan));
                new Span<byte>(loan.Bytes, (int)loan.Capacity).Fill(1);
                Assert.Equal(IpcStatus.Full, pool.Take(1, 300 << 10, out _));
                pool.GiveBack(loan);
                Assert.Equal(IpcStatus.Ok, pool.Take(1, 320 << 10, out loan)); // out of the pages of the other
                new Span<byte>(loan.Bytes, (int)loan.Capacity).Fill(2);
            }
            finally
            {
                Close(region);
            }
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
            Assert.Equal(0, Shell("umount", mount));
            Directory.Delete(mount);
        }
    }

    private static Region Open(ulong budget) => Region.Open("pool", new PoolEntrance(budget), OpenMode.OpenOrCreate, Deadline.Now, None);

    private static Pool Locate(Region region) => Pool.Locate(region.View, region.Geometry.BodyOffset, region.Path, region);

    private static void Close(Region region)
    {
        region.Leave();
        region.View.Dispose();
    }

    private static void Raise(ref long most, long value)
    {
        for (long seen = Volatile.Read(ref most); seen < value; seen = Volatile.Read(ref most))
            Interlocked.CompareExchange(ref most, value, seen);
    }

    private static int Shell(string program, params string[] arguments)
    {
        using Process process = Process.Start(program, arguments);
        process.WaitForExit();
        return process.ExitCode;
    }

    /// <summary>A region that is a pool and nothing else; its kind does not matter.</summary>
    private sealed class PoolKind : RegionKind
    {
        public override KindNumber Number => KindNumber.OfQueue;

        public override void CheckBody(Region region) => Locate(region);
    }

    private sealed class PoolEntrance : RegionEntrance
    {
        private static readonly PoolKind s_kind = new();

        private readonly ulong _budget;

        public PoolEntrance(ulong budget) => _budget = budget;

        public override RegionKind Kind => s_kind;

        public override ParticipantRole Role => ParticipantRole.None;

        public override RegionEntrance ForAnother() => new PoolEntrance(_budget);

        public override RegionGeometry NewGeometry() => RegionGeometry.ForSparse(
            8, 4096, Pool.SizeOf(_budget), Lifetime.WhileUsed, 4096 + Pool.ReservedOf(_budget));

        public override void WriteBody(Region region) => Pool.WriteHeader(region.Body, _budget);
    }
}
