using System;
using System.Threading;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Messages longer than half the ring: in the ring a descriptor, the bytes in a block of its pool.</summary>
public sealed unsafe class RingLoanTests : RegionTest
{
    private const int Capacity = 4096;
    private const int Budget = 256 << 10;
    private const int Long = 5000;

    private readonly RingWriter _writer;
    private readonly RingReader _reader;

    public RingLoanTests()
    {
        _writer = Own(RingWriter.Open("ring", Options()));
        _reader = Own(RingReader.Open("ring"));
    }

    private static RingOptions Options(WaitMode mode = WaitMode.Adaptive) => new() { Capacity = Capacity, LoanBudget = Budget, WaitMode = mode };

    [Fact]
    public void ALongMessageStandsInABlockAndItsDescriptorInTheRing()
    {
        Assert.True(_writer.TryWrite(LoanBytes.Message(1, Long), 77));
        using LiveRegion bytes = Look("ring");
        long record = (long)bytes.U64(bytes.Body + Wire.Ring.DataOffset);
        Assert.Equal(0xA000_004D_0000_0010UL, bytes.U64(record));
        Assert.Equal(0x0000_0000_0000_0001UL, bytes.U64(record + 8));              // class 1, block 0
        Assert.Equal(((ulong)Long << 32) | 0, bytes.U64(record + 16));             // generation 0
        Assert.Equal(0x0000_0000_0000_0002UL, LoanBytes.Block(_writer, 1, 0)->State); // published
        Assert.Equal(0UL, LoanBytes.Block(_writer, 1, 0)->Holder);

        Assert.True(_reader.TryRead(out RingRecord read));
        Assert.Equal(77, read.Type);
        Assert.True(LoanBytes.Is(read.Payload, 1, Long));
        _reader.Release();
        Assert.Equal(0x0000_0001_0000_0000UL, LoanBytes.Block(_writer, 1, 0)->State); // free again
    }

    [Fact]
    public void TheRingItselfIsUsedUpToHalfItsCapacity()
    {
        Assert.Equal(Budget, _writer.MaxPayload);
        Assert.Equal(Budget, _reader.MaxPayload);
        Assert.True(_writer.TryWrite(new byte[Capacity / 2 - 8]));
        Assert.Equal(0, LoanBytes.Count(_writer));
        Assert.True(_writer.TryWrite(new byte[Capacity / 2 - 7]));
        Assert.Equal(1, LoanBytes.Count(_writer));
    }

    [Fact]
    public void MoreThanTheBudgetIsTooLargeAndNothingHasChanged()
    {
        using LiveRegion bytes = Look("ring");
        byte[] before = bytes.Copy();
        IpcException error = Fails(IpcStatus.TooLarge, () => _writer.TryClaim(Budget + 1, out _));
        Assert.Contains($"{Budget + 1}", error.Message, StringComparison.Ordinal);
        Assert.Contains($"{Budget}", error.Message, StringComparison.Ordinal);
        Assert.Equal(before, bytes.Copy());
    }

    [Theory]
    [InlineData(Long)]
    [InlineData(Long - 1)]
    [InlineData(100)]
    [InlineData(56)] // would be a record of one line: it must not be taken for one
    [InlineData(1)]
    [InlineData(0)]
    public void ACommitOfLessIsStillALoan(int length)
    {
        Assert.True(_writer.TryClaim(Long, out Span<byte> claim));
        LoanBytes.Fill(claim[..length], 3);
        _writer.Commit(length, 9);
        Assert.Equal(1, LoanBytes.Count(_writer, PoolBlock.Published));
        Assert.True(_reader.TryRead(out RingRecord read));
        Assert.True(read.Type == 9 && LoanBytes.Is(read.Payload, 3, length));
        _reader.Release();
        Assert.Equal(0, LoanBytes.Count(_writer));
        Assert.False(_reader.TryRead(out _));
    }

    [Fact]
    public void CommittingMoreThanWasClaimedIsRefusedAndTheClaimStays()
    {
        Assert.True(_writer.TryClaim(Long, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => _writer.Commit(Long + 1));
        _writer.Commit(Long);
        Assert.True(_reader.TryRead(out RingRecord read));
        Assert.Equal(Long, read.Payload.Length);
    }

    [Fact]
    public void AnAbandonedClaimLeavesNoTrace()
    {
        using LiveRegion bytes = Look("ring");
        Assert.True(_writer.TryClaim(Long, out _));
        Assert.Equal(1, LoanBytes.Count(_writer, PoolBlock.Owned));
        _writer.Abandon();
        Assert.Equal(0, LoanBytes.Count(_writer));
        Assert.False(_reader.TryRead(out _));

        Assert.True(_writer.TryClaim(Long, out _));
        Assert.True(_writer.TryClaim(10, out _)); // gives it back first
        Assert.Equal(0, LoanBytes.Count(_writer));
        Assert.True(_writer.TryClaim(Long, out _));
        Assert.Equal(1, LoanBytes.Count(_writer));
        _writer.Abandon();
        ulong data = bytes.U64(bytes.Body + Wire.Ring.DataOffset);
        for (ulong line = 0; line < Capacity; line += 64)
            Assert.Equal(0UL, bytes.U64((long)(data + line)));
    }

    [Fact]
    public void ReadingAheadHoldsEveryLoanUntilTheRelease()
    {
        for (int i = 0; i < 9; i++)
            Assert.True(_writer.TryWrite(LoanBytes.Message(i, Long + i), (ushort)i));
        ReadOnlySpan<byte> first = default;
        for (int i = 0; i < 9; i++)
        {
            Assert.True(_reader.TryRead(out RingRecord read));
            Assert.True(read.Type == i && LoanBytes.Is(read.Payload, i, Long + i));
            if (i == 0)
                first = read.Payload;
        }

        Assert.True(LoanBytes.Is(first, 0, Long));
        Assert.Equal(9, LoanBytes.Count(_writer, PoolBlock.Published));
        _reader.Release();
        Assert.Equal(0, LoanBytes.Count(_writer));
    }

    [Fact]
    public void ABatchOfShortAndLongOnesIsInvisibleUntilItIsFlushedAndInOrder()
    {
        int[] lengths = [10, Long, 200, 3 * Long, 0, Long];
        for (int i = 0; i < lengths.Length; i++)
        {
            Assert.True(_writer.TryClaim(lengths[i], out Span<byte> claim));
            LoanBytes.Fill(claim, i);
            _writer.CommitBatched(lengths[i], (ushort)i);
        }

        Assert.False(_reader.TryRead(out _));
        _writer.Flush();
        for (int i = 0; i < lengths.Length; i++)
        {
            Assert.True(_reader.TryRead(out RingRecord read));
            Assert.True(read.Type == i && LoanBytes.Is(read.Payload, i, lengths[i]));
        }

        _reader.Release();
        Assert.Equal(0, LoanBytes.Count(_writer));
    }

    [Fact]
    public void WithoutABlockItIsFullUntilTheReaderReleases()
    {
        Assert.True(_writer.TryWrite(LoanBytes.Message(1, Budget)));
        Assert.False(_writer.TryClaim(Long, out _));
        Assert.True(_writer.TryWrite("short ones still go"u8));
        Assert.Equal(IpcStatus.Timeout, _writer.Write(new byte[Long], 0, Deadline.FromMilliseconds(30)));
        Assert.Equal(0, LoanBytes.Count(_writer, PoolBlock.Owned));
        Assert.Equal(IpcStatus.Stopped, Stopped());
        Assert.True(_reader.TryRead(out _));
        Assert.False(_writer.TryClaim(Long, out _));
        _reader.Release();
        Assert.True(_writer.TryWrite(LoanBytes.Message(2, Budget)));

        IpcStatus Stopped()
        {
            _writer.Stop();
            IpcStatus status = _writer.Claim(Long, out _, Deadline.Never);
            _writer.Resume();
            return status;
        }
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    [InlineData(WaitMode.Spin)]
    public void AWriterThatWaitsForABlockGetsTheNextThatIsReleased(WaitMode mode)
    {
        _writer.Dispose();
        RingWriter writer = Own(RingWriter.Open("ring", Options(mode)));
        for (int round = 0; round < 50; round++)
        {
            Assert.True(writer.TryWrite(LoanBytes.Message(round, Budget)));
            using ManualResetEventSlim waiting = new();
            Background waiter = Run(() =>
            {
                waiting.Set();
                Assert.Equal(IpcStatus.Ok, writer.Write(LoanBytes.Message(1000 + round, Budget - 5000), 1, Hang));
            });
            waiting.Wait(None);
            Assert.True(_reader.TryRead(out RingRecord first) && LoanBytes.Is(first.Payload, round, Budget));
            _reader.Release();
            Assert.Equal(IpcStatus.Ok, _reader.Read(out RingRecord second, Hang));
            Assert.True(LoanBytes.Is(second.Payload, 1000 + round, Budget - 5000));
            _reader.Release();
            waiter.Join();
        }
    }

    [Fact]
    public void ABatchIsPublishedWhenThereIsNoBlock()
    {
        Assert.True(_writer.TryClaim(Budget, out _));
        _writer.CommitBatched(Budget, 5);
        Assert.False(_writer.TryClaim(Long, out _)); // nobody could ever free what nobody sees
        Assert.True(_reader.TryRead(out RingRecord read));
        Assert.Equal(5, read.Type);
        _reader.Release();
        Assert.True(_writer.TryClaim(Long, out _));
    }

    [Theory]
    [InlineData(10)]
    [InlineData(Capacity / 2 - 8)]
    [InlineData(Long)]
    [InlineData(Budget / 4)]
    public void AClaimGrowsIntoALoanAndKeepsItsBytes(int from)
    {
        for (int start = 0; start < 5; start++) // from several places in the lap, the last before its end too
        {
            Assert.True(_writer.TryClaim(from, out Span<byte> claim));
            LoanBytes.Fill(claim, 8);
            foreach (int length in new[] { from, Math.Max(from, 4000), Math.Max(from, 20_000), Budget * 3 / 4 })
            {
                Assert.True(_writer.TryExtendClaim(length, out claim));
                Assert.Equal(length, claim.Length);
                Assert.True(LoanBytes.Is(claim[..from], 8, from));
            }

            Assert.Equal(1, LoanBytes.Count(_writer));
            claim[^1] = 0x77;
            _writer.Commit(claim.Length, 6);
            Assert.True(_reader.TryRead(out RingRecord read));
            Assert.True(read.Payload.Length == Budget * 3 / 4 && read.Payload[^1] == 0x77 && LoanBytes.Is(read.Payload[..from], 8, from));
            _reader.Release();
            Assert.True(_writer.TryWrite(new byte[900]));
            Assert.True(_reader.TryRead(out _));
            _reader.Release();
        }

        Assert.Equal(0, LoanBytes.Count(_writer));
    }

    [Fact]
    public void AClaimThatCannotGrowStaysAsItWas()
    {
        Assert.True(_writer.TryWrite(LoanBytes.Message(1, Budget - 8192)));
        foreach (int from in new[] { 100, Long })
        {
            Assert.True(_writer.TryClaim(from, out Span<byte> claim));
            LoanBytes.Fill(claim, 2);
            Assert.False(_writer.TryExtendClaim(20_000, out _));
            Fails(IpcStatus.TooLarge, () => _writer.TryExtendClaim(Budget + 1, out _));
            _writer.Commit(from);
        }

        Assert.True(_reader.TryRead(out _));
        foreach (int from in new[] { 100, Long })
            Assert.True(_reader.TryRead(out RingRecord read) && LoanBytes.Is(read.Payload, 2, from));
    }

    [Fact]
    public void WhatWasReadAndNotReleasedComesAgainToTheNextReader()
    {
        Assert.True(_writer.TryWrite(LoanBytes.Message(1, Long)) && _writer.TryWrite(LoanBytes.Message(2, Long)));
        Assert.True(_reader.TryRead(out _));
        _reader.Release();
        Assert.True(_reader.TryRead(out _));
        _reader.Dispose();
        Assert.Equal(1, LoanBytes.Count(_writer, PoolBlock.Published));
        RingReader next = Own(RingReader.Open("ring"));
        Assert.True(next.TryRead(out RingRecord read) && LoanBytes.Is(read.Payload, 2, Long));
        next.Release();
        Assert.Equal(0, LoanBytes.Count(_writer));
    }

    [Fact]
    public void ANewReaderFreesWhatItsPredecessorReleasedButDidNotFree()
    {
        for (int i = 0; i < 3; i++)
            Assert.True(_writer.TryWrite(LoanBytes.Message(i, Long)));
        _reader.Dispose();
        using (LiveRegion bytes = Look("ring"))
            bytes.U64(bytes.Body + Wire.Ring.ReadPosition, 128); // as if killed between the store and the frees
        RingReader next = Own(RingReader.Open("ring"));
        Assert.Equal(1, LoanBytes.Count(_writer));
        Assert.True(next.TryRead(out RingRecord read) && LoanBytes.Is(read.Payload, 2, Long));
    }

    [Fact]
    public void ANewWriterFreesWhatWasClaimedOrBatchedAndLeavesWhatWasPublished()
    {
        Assert.True(_writer.TryWrite(LoanBytes.Message(1, Long)));
        Assert.True(_writer.TryClaim(Long, out _));
        _writer.CommitBatched(Long);
        Assert.True(_writer.TryClaim(Long, out _));
        Assert.Equal(3, LoanBytes.Count(_reader));
        _writer.Dispose();
        Assert.Equal(3, LoanBytes.Count(_reader)); // nobody needs them before there is a next writer
        RingWriter next = Own(RingWriter.Open("ring"));
        Assert.Equal(1, LoanBytes.Count(_reader));
        Assert.True(next.TryWrite(LoanBytes.Message(2, Long)));
        Assert.True(_reader.TryRead(out RingRecord first) && LoanBytes.Is(first.Payload, 1, Long));
        Assert.True(_reader.TryRead(out RingRecord second) && LoanBytes.Is(second.Payload, 2, Long));
        Assert.False(_reader.TryRead(out _));
    }

    [Fact]
    public void ALateFreeAfterATakeOverHitsNobody()
    {
        Assert.True(_writer.TryWrite(LoanBytes.Message(1, Long)));
        Assert.True(_reader.TryRead(out _));
        using (LiveRegion bytes = Look("ring"))
            bytes.U64(bytes.Body + Wire.Ring.ReadPosition, 64); // released, and about to free
        _writer.Dispose();
        RingWriter next = Own(RingWriter.Open("ring")); // frees it
        Assert.True(next.TryWrite(LoanBytes.Message(2, Long))); // and uses the same block
        Assert.Equal(1u, PoolBlock.GenerationOf(LoanBytes.Block(next, 1, 0)->State));
        _reader.Release();
        Assert.True(_reader.TryRead(out RingRecord read) && LoanBytes.Is(read.Payload, 2, Long));
    }

    [Fact]
    public void AnAttacherTakesTheBudgetThatIsThere()
    {
        using RingWriter none = RingWriter.Open("without", Small());
        using RingReader reader = RingReader.Open("without", Options());
        Assert.Equal(Capacity / 2 - 8, reader.MaxPayload);
        Fails(IpcStatus.TooLarge, () => none.TryClaim(Capacity / 2 - 7, out _));
        Fails(IpcStatus.InvalidArgument, () => RingWriter.Open("bad", new RingOptions { LoanBudget = -1 }));
        Fails(IpcStatus.InvalidArgument, () => RingWriter.Open("bad", new RingOptions { LoanBudget = (64L << 30) + 1 }));
    }

    [Fact]
    public void AHundredMegabytesGoThroughASmallRing()
    {
        const int Size = 100_000_000;
        using RingWriter writer = RingWriter.Open("large", new RingOptions { Capacity = Capacity });
        using RingReader reader = RingReader.Open("large");
        Assert.Equal(256 << 20, writer.MaxPayload);
        Assert.True(writer.TryClaim(Size, out Span<byte> claim));
        LoanBytes.Fill(claim, 42);
        writer.Commit(Size);
        Assert.True(reader.TryRead(out RingRecord read));
        Assert.True(LoanBytes.Is(read.Payload, 42, Size));
        reader.Release();
        Assert.Equal(0, LoanBytes.Count(writer));
    }

    [Theory]
    [InlineData(WaitMode.Adaptive, 1)]
    [InlineData(WaitMode.Block, 2)]
    public void MessagesOfAllSizesArriveWholeAndInOrder(WaitMode mode, int seed)
    {
        const int Messages = 3000;
        _writer.Dispose();
        RingWriter writer = Own(RingWriter.Open("ring", Options(mode)));
        Background sending = Run(() =>
        {
            Random random = new(seed);
            for (int i = 0; i < Messages; i++)
            {
                int length = LengthOf(random);
                Assert.Equal(IpcStatus.Ok, writer.Claim(random.Next(2) == 0 ? length : Math.Min(length, 100), out Span<byte> claim, Hang));
                if (claim.Length < length && !writer.TryExtendClaim(length, out claim))
                    Assert.Equal(IpcStatus.Ok, writer.Claim(length, out claim, Hang));
                LoanBytes.Fill(claim, i);
                if (i % 3 == 0)
                    writer.CommitBatched(length, (ushort)i);
                else
                    writer.Commit(length, (ushort)i);
            }

            writer.Flush();
        });

        Random same = new(seed);
        for (int i = 0; i < Messages; i++)
        {
            int length = LengthOf(same);
            same.Next(2);
            Assert.Equal(IpcStatus.Ok, _reader.Read(out RingRecord read, Hang));
            Assert.True(read.Type == (ushort)i && LoanBytes.Is(read.Payload, i, length), $"message {i}");
            if (i % 4 != 0)
                _reader.Release();
        }

        _reader.Release();
        sending.Join();
        Assert.Equal(0, LoanBytes.Count(writer));
        Assert.InRange(writer.Geometry.Pool!.PresentBytes(), 1UL, (ulong)Budget);

        static int LengthOf(Random random) => random.Next(10) switch
        {
            < 5 => random.Next(300),
            < 9 => random.Next(Capacity / 2, 30_000),
            _ => random.Next(Budget / 3),
        };
    }

    [Fact]
    public void LoansAllocateNothingOnceEverythingWasUsed()
    {
        byte[] payload = LoanBytes.Message(1, Long);
        Cycle();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
            Cycle();
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());

        void Cycle()
        {
            for (int i = 0; i < 4; i++)
                _writer.TryWrite(payload);
            while (_reader.TryRead(out _))
            {
            }

            _reader.Release();
        }
    }

    [Theory]
    [InlineData(0xA000_0000_0000_0008, 0UL, 0UL, "8 bytes")]
    [InlineData(0xA000_0000_0000_0011, 0UL, 0UL, "17 bytes")]
    [InlineData(0xE000_0000_0000_0010, 0UL, 0UL, "0xE000")]
    [InlineData(0xA000_0000_0000_0010, 0x0000_0000_0000_0007UL, 0UL, "class 7")]
    [InlineData(0xA000_0000_0000_0010, 0x0000_0040_0000_0000UL, 0UL, "block 64")]
    [InlineData(0xA000_0000_0000_0010, 0x0000_0000_0000_0001UL, 0x0000_1388_0000_0001UL, "generation 1")]
    [InlineData(0xA000_0000_0000_0010, 0x0000_0001_0000_0001UL, 0x0000_1388_0000_0000UL, "published")]
    [InlineData(0xA000_0000_0000_0010, 0x0000_0000_0000_0001UL, 0x0000_2001_0000_0000UL, "8193")]
    public void ADescriptorThatLiesIsCorruptForTheReader(ulong header, ulong first, ulong second, string expected)
    {
        Assert.True(_writer.TryWrite(LoanBytes.Message(1, Long)));
        using LiveRegion bytes = Look("ring");
        long record = (long)bytes.U64(bytes.Body + Wire.Ring.DataOffset);
        bytes.U64(record + 8, first);
        bytes.U64(record + 16, second);
        bytes.U64(record, header);
        for (int again = 0; again < 2; again++)
            Assert.Contains(expected, Assert.Throws<CorruptRegionException>(() => _reader.TryRead(out _)).Message, StringComparison.Ordinal);
        _reader.Release();
        Assert.Equal(1, LoanBytes.Count(_writer));
    }

    [Fact]
    public void ABlockThatIsTakenFromItsOwnerIsCorruptForTheWriter()
    {
        Assert.True(_writer.TryClaim(Long, out _));
        LoanBytes.Block(_writer, 1, 0)->State = PoolBlock.StateOf(5, 0, PoolBlock.Free);
        Assert.Throws<CorruptRegionException>(() => _writer.Commit(Long));
        Assert.False(_reader.TryRead(out _));
    }

    [Theory]
    [InlineData(1UL)]           // not a page
    [InlineData(4096UL)]        // where the records are
    [InlineData(1UL << 40)]
    [InlineData(ulong.MaxValue)]
    public void AnAttacherRefusesAPoolThatIsNotWhereAPoolCanBe(ulong offset)
    {
        using LiveRegion bytes = Look("ring");
        bytes.U64(bytes.Body + 24, offset);
        _reader.Dispose();
        Assert.Throws<CorruptRegionException>(() => RingReader.Open("ring"));
    }
}
