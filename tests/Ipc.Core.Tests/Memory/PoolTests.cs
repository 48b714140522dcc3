using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>One pool in a file: blocks taken, published, resolved, freed, recovered; memory made and given back.</summary>
public sealed unsafe class PoolTests : IDisposable
{
    private const ulong Budget = 1 << 20;
    private const uint Me = 7;

    private static readonly LoanIsNamed s_nobody = static (ulong _, in LoanDescriptor _) => false;
    private static readonly LoanIsNamed s_everybody = static (ulong _, in LoanDescriptor _) => true;

    private readonly List<PoolMemory> _memories = new();

    public void Dispose()
    {
        foreach (PoolMemory memory in _memories)
            memory.Dispose();

    }

    private PoolMemory New(ulong budget = Budget)
    {
        PoolMemory memory = new($"/dev/shm/ipc-pool-{Guid.NewGuid():N}", budget);
        _memories.Add(memory);
        return memory;
    }

    private static Loan Take(Pool pool, uint length, uint owner = Me)
    {
        Assert.Equal(IpcStatus.Ok, pool.Take(owner, length, out Loan loan));
        Assert.True(loan.Capacity >= length);
        return loan;
    }

    [Fact]
    public void ABlockGoesFromFreeToOwnedToPublishedToFreeWithANewGeneration()
    {
        PoolMemory memory = New();
        Pool pool = memory.Pool;
        Loan loan = Take(pool, 5000);
        PoolBlock* block = memory.Block(1, 0);
        Assert.Equal((1, 0u, 0u), (loan.Class, loan.Index, loan.Generation));
        Assert.Equal(0x0000_0000_0007_0001UL, block->State);
        Assert.Equal((2u, 2u), (block->Claimed, block->Present));

        new Span<byte>(loan.Bytes, 5000).Fill(0x5A);
        LoanDescriptor descriptor = loan.Describe(5000);
        Assert.True(pool.Publish(loan, holder: 640));
        Assert.Equal(0x0000_0000_0000_0002UL, block->State);
        Assert.Equal(640UL, block->Holder);

        Assert.Null(memory.Locate().Resolve(descriptor, out Loan read));
        Assert.True(read.Bytes == loan.Bytes && read.Capacity == 8192);
        Assert.Equal(-1, new ReadOnlySpan<byte>(read.Bytes, 5000).IndexOfAnyExcept((byte)0x5A));

        pool.Free(descriptor);
        Assert.Equal(0x0000_0001_0000_0000UL, block->State);
        Assert.Equal((2u, 2u), (block->Claimed, block->Present));
        Assert.Equal(1u, Take(pool, 5000).Generation);
    }

    [Fact]
    public void WhatIsGivenBackIsFreeAndTheLoanIsNoGoodAnyMore()
    {
        PoolMemory memory = New();
        Loan loan = Take(memory.Pool, 100);
        memory.Pool.GiveBack(loan);
        Assert.Equal(0x0000_0001_0000_0000UL, memory.Block(0, 0)->State);
        Assert.False(memory.Pool.Publish(loan, 64));
        memory.Pool.GiveBack(loan);
        Assert.Equal(0x0000_0001_0000_0000UL, memory.Block(0, 0)->State);
        Assert.Equal(0UL, memory.Block(0, 0)->Holder);
    }

    [Fact]
    public void TheBlockThatWasFreedLastIsTakenFirstAndThenTheLowest()
    {
        Pool pool = New().Pool;
        Loan[] loans = Enumerable.Range(0, 4).Select(_ => Take(pool, 4096)).ToArray();
        Assert.Equal([0, 1, 2, 3], loans.Select(loan => loan.Index));
        pool.GiveBack(loans[1]);
        pool.GiveBack(loans[0]);
        pool.GiveBack(loans[2]);
        Assert.Equal(2u, Take(pool, 4096).Index);
        Assert.Equal(0u, Take(pool, 4096).Index);
        Assert.Equal(1u, Take(pool, 4096).Index);
    }

    [Fact]
    public void AMessageWithoutBytesAndOneOfTheWholeBudgetAreTaken()
    {
        Pool pool = New().Pool;
        Loan nothing = Take(pool, 0);
        Assert.Equal(0, nothing.Class);
        pool.GiveBack(nothing);
        Loan all = Take(pool, (uint)Budget);
        Assert.Equal(IpcStatus.Full, pool.Take(Me, 1, out _));
        pool.GiveBack(all);
        Take(pool, (uint)Budget);
    }

    [Fact]
    public void OneByteMoreThanTheBudgetIsTooLargeNotFull()
    {
        PoolMemory memory = New();
        Assert.Equal(IpcStatus.TooLarge, memory.Pool.Take(Me, (uint)Budget + 1, out Loan loan));
        Assert.True(loan.Bytes == null);
        Assert.Equal(0UL, memory.Pool.Exhausted);
    }

    [Fact]
    public void WhenTheBudgetIsUsedUpItIsFullAndCounted()
    {
        PoolMemory memory = New(16 * 4096);
        Pool pool = memory.Pool;
        Loan large = Take(pool, 15 * 4096);
        Loan small = Take(pool, 1);
        Assert.Equal(IpcStatus.Full, pool.Take(Me, 1, out _));
        Assert.Equal(IpcStatus.Full, pool.Take(Me, 8 * 4096, out _));
        Assert.Equal(2UL, pool.Exhausted);
        pool.GiveBack(small);
        Take(pool, 4096);
        pool.GiveBack(large);
        Assert.Equal(2UL, pool.Exhausted);
    }

    [Fact]
    public void WhenAClassHasNoBlockLeftALargerOneServes()
    {
        Pool pool = New(16 * 4096).Pool; // 16, 8, 4, 2, 1 blocks
        Loan first = Take(pool, 3 * 4096);
        Assert.Equal(2, first.Class);
        Loan[] others = Enumerable.Range(0, 3).Select(_ => Take(pool, 3 * 4096)).ToArray();
        Assert.All(others, loan => Assert.Equal(2, loan.Class));
        Assert.Equal(3, Take(pool, 3 * 4096).Class);
    }

    [Fact]
    public void FreeBlocksGiveTheirPagesBackForAMessageOfAnotherSize()
    {
        PoolMemory memory = New(64 * 4096);
        Pool pool = memory.Pool;
        Loan[] small = Enumerable.Range(0, 64).Select(_ => Take(pool, 4096)).ToArray();
        Assert.Equal(64UL * 4096, pool.PresentBytes());
        foreach (Loan loan in small)
            pool.GiveBack(loan);
        Loan large = Take(pool, 64 * 4096);
        Assert.Equal(6, large.Class);
        Assert.Equal(64UL * 4096, pool.PresentBytes());
        new Span<byte>(large.Bytes, 64 * 4096).Fill(1);
        Assert.InRange(memory.BytesPresent, 64 * 4096, 64 * 4096 + 8 * 4096);
    }

    [Fact]
    public void PagesThatComeBackAfterTheyWereGivenAwayAreZero()
    {
        PoolMemory memory = New();
        Loan loan = Take(memory.Pool, 4096);
        new Span<byte>(loan.Bytes, 4096).Fill(0xFF);
        memory.Pool.GiveBack(loan);
        memory.Pool.Trim(Me);
        Loan again = Take(memory.Pool, 4096);
        Assert.True(loan.Bytes == again.Bytes);
        Assert.Equal(-1, new ReadOnlySpan<byte>(again.Bytes, 4096).IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void TrimGivesTheMemoryOfFreeBlocksBackAndLeavesTheOthers()
    {
        PoolMemory memory = New();
        Loan kept = Take(memory.Pool, 100_000);
        Loan given = Take(memory.Pool, 500_000);
        new Span<byte>(kept.Bytes, 100_000).Fill(3);
        new Span<byte>(given.Bytes, 500_000).Fill(4);
        long before = memory.BytesPresent;
        memory.Pool.GiveBack(given);
        Assert.InRange(memory.BytesPresent, before, long.MaxValue);
        memory.Pool.Trim(Me);
        Assert.InRange(memory.BytesPresent, 100_000, before - 400_000);
        Assert.Equal(25UL * 4096, memory.Pool.PresentBytes());
        Assert.Equal(-1, new ReadOnlySpan<byte>(kept.Bytes, 100_000).IndexOfAnyExcept((byte)3));
        Assert.Equal(0u, memory.Block(7, 0)->Claimed);
    }

    [Fact]
    public void ALoanGrowsWhereItIsAndThenMovesWithItsBytes()
    {
        PoolMemory memory = New();
        Loan loan = Take(memory.Pool, 5 * 4096);
        byte* place = loan.Bytes;
        new Span<byte>(loan.Bytes, 5 * 4096).Fill(9);
        Assert.True(memory.Pool.TryExtend(ref loan, 7 * 4096, used: 5 * 4096));
        Assert.True(loan.Bytes == place && loan.Capacity == 7 * 4096);
        Assert.True(memory.Pool.TryExtend(ref loan, 9 * 4096, used: 5 * 4096));
        Assert.True(loan.Bytes != place && loan.Class == 8); // with room to grow where it is
        place = loan.Bytes;
        Assert.Equal(-1, new ReadOnlySpan<byte>(loan.Bytes, 5 * 4096).IndexOfAnyExcept((byte)9));
        Assert.Equal(PoolBlock.Free, PoolBlock.PhaseOf(memory.Block(3, 0)->State));
        Assert.True(memory.Pool.TryExtend(ref loan, 240 * 4096, used: 5 * 4096));
        Assert.True(loan.Bytes == place && loan.Capacity == 240 * 4096);
        Loan before = loan;
        Assert.False(memory.Pool.TryExtend(ref loan, (uint)Budget + 1, used: 1));
        Assert.Equal(before.State, loan.State);
    }

    [Fact]
    public void RecoveryFreesWhatTheDeadOwnAndWhatNobodyNames()
    {
        PoolMemory memory = New();
        Pool pool = memory.Pool;
        Loan ofTheDead = Take(pool, 4096, owner: 3);
        Loan mine = Take(pool, 4096);
        Loan named = Take(pool, 4096);
        Loan unnamed = Take(pool, 4096);
        Assert.True(pool.Publish(named, 640) && pool.Publish(unnamed, 704));

        pool.Recover(3, static (ulong holder, in LoanDescriptor descriptor) => holder == 640 && descriptor is { Class: 0, Index: 2, Generation: 0 });
        Assert.Equal([PoolBlock.Free, PoolBlock.Owned, PoolBlock.Published, PoolBlock.Free], Phases(memory, 4));
        Assert.Equal(1u, PoolBlock.GenerationOf(memory.Block(0, ofTheDead.Index)->State));
        Assert.False(pool.Publish(ofTheDead, 1));

        pool.Recover(uint.MaxValue, s_nobody);
        Assert.Equal([PoolBlock.Free, PoolBlock.Owned, PoolBlock.Free, PoolBlock.Free], Phases(memory, 4));
        pool.Recover(0, s_everybody);
        Assert.Equal([PoolBlock.Free, PoolBlock.Free, PoolBlock.Free, PoolBlock.Free], Phases(memory, 4));
        Assert.False(pool.Publish(mine, 1));
    }

    [Fact]
    public void RecoveryTakesThePagesThatADeadOwnerClaimedAndDidNotAnnounce()
    {
        PoolMemory memory = New(16 * 4096);
        Loan loan = Take(memory.Pool, 4096, owner: 3);
        PoolBlock* block = memory.Block(3, 0);
        Assert.True(Os.Current.Populate(null, memory.View.Base, PoolMemory.Offset + memory.Pool.Geometry.FirstOffset(3), 8 * 4096));
        block->State = PoolBlock.StateOf(0, 3, PoolBlock.Owned); // killed between making eight pages and saying so
        block->Claimed = 8;
        long before = memory.BytesPresent;
        memory.Pool.Recover(3, s_nobody);
        Assert.Equal((0u, 0u), (block->Claimed, block->Present));
        Assert.InRange(memory.BytesPresent, 0, before - 8 * 4096);
        Assert.Equal(loan.Index, Take(memory.Pool, 4096).Index);
        Take(memory.Pool, 15 * 4096);
    }

    [Fact]
    public void ALateFreeOfAnEarlierUseChangesNothing()
    {
        PoolMemory memory = New();
        Loan first = Take(memory.Pool, 4096);
        LoanDescriptor old = first.Describe(4096);
        memory.Pool.Publish(first, 64);
        memory.Pool.Free(old);
        Loan second = Take(memory.Pool, 4096);
        memory.Pool.Publish(second, 128);
        memory.Pool.Free(old);
        Assert.Null(memory.Pool.Resolve(second.Describe(4096), out _));
        Assert.Contains("generation 0", memory.Pool.Resolve(old, out _), StringComparison.Ordinal);
    }

    [Fact]
    public void ADescriptorThatIsNotTheBlocksIsRefused()
    {
        PoolMemory memory = New();
        Pool pool = memory.Pool;
        Loan loan = Take(pool, 6000);
        LoanDescriptor good = loan.Describe(6000);
        Assert.NotNull(pool.Resolve(good, out _)); // not published yet
        pool.Publish(loan, 64);
        Assert.Null(pool.Resolve(good, out _));

        foreach (LoanDescriptor bad in new[]
        {
            good with { Class = 9 }, good with { Class = ushort.MaxValue }, good with { Index = 128 }, good with { Index = uint.MaxValue },
            good with { Generation = 1 }, good with { Generation = uint.MaxValue }, good with { Length = 8193 }, good with { Length = uint.MaxValue },
            good with { Class = 0 }, good with { Index = 1 },
        })
        {
            string? wrong = pool.Resolve(bad, out Loan resolved);
            Assert.False(string.IsNullOrEmpty(wrong));
            Assert.True(resolved.Bytes == null);
            if (bad.Length == good.Length)
                pool.Free(bad);
        }

        Assert.Null(pool.Resolve(good, out _));
    }

    [Fact]
    public void ALengthBeyondWhatIsPresentIsRefused()
    {
        PoolMemory memory = New();
        Loan loan = Take(memory.Pool, 5 * 4096); // three of the eight pages of its block are holes
        memory.Pool.Publish(loan, 64);
        Assert.Null(memory.Pool.Resolve(loan.Describe(5 * 4096), out _));
        Assert.NotNull(memory.Pool.Resolve(loan.Describe((5 * 4096) + 1), out _));
        memory.Block(3, 0)->Present = uint.MaxValue; // a lie is worth no more than the block
        Assert.NotNull(memory.Pool.Resolve(loan.Describe((8 * 4096) + 1), out _));
    }

    [Fact]
    public void HostileTableBytesNeitherCrashNorGiveMoreThanABlock()
    {
        Random random = new(11);
        PoolMemory memory = New(64 * 4096);
        Pool pool = memory.Pool;
        byte[] junk = new byte[memory.Pool.Geometry.Blocks * 32];
        for (int round = 0; round < 200; round++)
        {
            random.NextBytes(junk);
            for (int block = 0; block < junk.Length; block += 32)
            {
                if (random.Next(3) != 0)
                    junk.AsSpan(block, 8).Clear(); // free, or hardly anything would ever be taken
            }

            junk.CopyTo(new Span<byte>(memory.View.Base + PoolMemory.Offset + PoolHeader.TableOffset, junk.Length));
            new Span<ulong>((byte*)memory.Header + PoolHeader.FreeOffset, PoolHeader.FreeWords * memory.Pool.Geometry.Classes).Fill((ulong)random.NextInt64());
            uint length = (uint)random.Next(1, 64 * 4096);
            if (pool.Take(Me, length, out Loan loan) == IpcStatus.Ok)
            {
                ulong offset = (ulong)(loan.Bytes - memory.View.Base);
                Assert.InRange(loan.Capacity, length, PoolGeometry.BlockSize(loan.Class));
                Assert.InRange(offset, PoolMemory.Offset + pool.Geometry.Reserved, memory.View.Size - loan.Capacity);
                new Span<byte>(loan.Bytes, (int)length).Fill(1);
            }

            pool.Recover(Me, s_nobody);
            pool.Trim(Me);
            _ = pool.PresentBytes();
        }
    }

    [Theory]
    [InlineData(0, 0x4C4F4F51u, "magic")]
    [InlineData(4, 0u, "classes")]
    [InlineData(4, 10u, "classes")]
    [InlineData(8, 0u, "multiple")]
    [InlineData(8, 4097u, "multiple")]
    [InlineData(8, 2u << 20, "classes")]
    [InlineData(12, 16u, "multiple")]
    public void AHeaderThatIsNotAPoolsIsRefused(int at, uint value, string expected)
    {
        PoolMemory memory = New();
        *(uint*)((byte*)memory.Header + at) = value;
        Assert.Contains(expected, Assert.Throws<CorruptRegionException>(() => memory.Locate()).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0UL)]
    [InlineData(64UL)]
    [InlineData(4097UL)]
    [InlineData(8192UL)]
    [InlineData(1UL << 40)]
    [InlineData(ulong.MaxValue - 4095)]
    public void APoolThatDoesNotFitIsRefused(ulong offset)
    {
        PoolMemory memory = New();
        if (offset == 8192) // a good header, but its end is beyond the file's
            Pool.WriteHeader(memory.View.Base + offset, Budget);
        Assert.Throws<CorruptRegionException>(() => Pool.Locate(memory.View, offset, "here", region: null));
        Assert.Throws<CorruptRegionException>(() => Pool.Locate(memory.View, PoolMemory.Offset, "here", region: null, end: memory.View.Size - 1));
    }

    [Fact]
    public void TakingAndFreeingAllocateNothing()
    {
        Pool pool = New().Pool;
        Cycle(pool);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
            Cycle(pool);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());

        static void Cycle(Pool pool)
        {
            pool.Take(Me, 9000, out Loan loan);
            pool.Publish(loan, 64);
            pool.Free(loan.Describe(9000));
        }
    }

    private static List<uint> Phases(PoolMemory memory, uint count)
    {
        List<uint> phases = new();
        for (uint index = 0; index < count; index++)
            phases.Add(PoolBlock.PhaseOf(memory.Block(0, index)->State));
        return phases;
    }
}
