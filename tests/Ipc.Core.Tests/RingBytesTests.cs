using System;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Put the ring in the state, act once, look at the bytes.</summary>
public sealed class RingBytesTests : RegionTest
{
    private const int Capacity = 4096;

    private readonly RingWriter _writer;
    private readonly RingReader _reader;
    private readonly LiveRegion _bytes;
    private readonly int _ring;
    private readonly int _data;

    public RingBytesTests()
    {
        _writer = Own(RingWriter.Open("ring", Small()));
        _reader = Own(RingReader.Open("ring", Small(OpenMode.OpenExisting)));
        _bytes = Own(Look("ring"));
        _ring = _bytes.Body;
        _data = (int)_bytes.U64(_ring + Wire.Ring.DataOffset);
    }

    [Fact]
    public void ACommitIsOneHeaderWord()
    {
        Assert.True(_writer.TryClaim(3, out Span<byte> payload));
        "abc"u8.CopyTo(payload);
        Assert.Equal(0UL, Header(0));
        _writer.Commit(3, 7);
        Assert.Equal(0x8000_0007_0000_0003UL, Header(0));
        Assert.Equal("abc"u8.ToArray(), _bytes.Copy().AsSpan(_data + 8, 3).ToArray());
        AssertInvariantZ(64, 0);
    }

    [Fact]
    public void AClaimThatIsNeverCommittedLeavesNoTrace()
    {
        byte[] before = _bytes.Copy();
        Assert.True(_writer.TryClaim(500, out Span<byte> payload));
        payload.Fill(0xEE);
        _writer.Abandon();
        Assert.False(_reader.TryRead(out _));
        AssertInvariantZ(0, 0);
        Assert.Equal(before.AsSpan(0, _data).ToArray(), _bytes.Copy().AsSpan(0, _data).ToArray());
    }

    [Fact]
    public void ANewClaimReplacesAnOpenOne()
    {
        Assert.True(_writer.TryClaim(500, out Span<byte> payload));
        payload.Fill(0xEE);
        Assert.True(_writer.TryClaim(10, out payload));
        _writer.Commit(10);
        AssertInvariantZ(64, 0);
        Assert.Equal(10, ReadLength());
        Assert.False(_reader.TryRead(out _));
    }

    [Fact]
    public void ACommitOfLessGivesTheRestBack()
    {
        Assert.True(_writer.TryClaim(500, out Span<byte> payload));
        payload.Fill(0xEE);
        _writer.Commit(60, 1);
        AssertInvariantZ(128, 0);
        Assert.Equal(60, ReadLength());
    }

    [Fact]
    public void ABatchIsInvisibleUntilItsFirstHeaderIsStored()
    {
        for (int i = 0; i < 3; i++)
        {
            Assert.True(_writer.TryClaim(8, out _));
            _writer.CommitBatched(8, (ushort)i);
        }

        Assert.Equal(0UL, Header(0));
        Assert.NotEqual(0UL, Header(64));
        Assert.NotEqual(0UL, Header(128));
        Assert.False(_reader.TryRead(out _));
        _writer.Flush();
        for (int i = 0; i < 3; i++)
        {
            Assert.True(_reader.TryRead(out RingRecord record));
            Assert.Equal(i, record.Type);
        }

        Assert.False(_reader.TryRead(out _));
    }

    [Fact]
    public void ACommitPublishesTheBatchBeforeIt()
    {
        Assert.True(_writer.TryClaim(8, out _));
        _writer.CommitBatched(8, 1);
        Assert.True(_writer.TryWrite("x"u8, 2));
        Assert.Equal(8, ReadLength());
        Assert.Equal(1, ReadLength());
    }

    [Fact]
    public void AFullRingPublishesTheBatch()
    {
        while (_writer.TryClaim(500, out _))
            _writer.CommitBatched(500);
        Assert.NotEqual(0UL, Header(0));
        Assert.Equal(500, ReadLength());
    }

    [Fact]
    public void ARecordThatFitsTheEndOfTheLapExactlyIsNotPadded()
    {
        Advance(Capacity - 512);
        Assert.True(_writer.TryWrite(new byte[504], 9));
        Assert.Equal(RecordHeader.Of(504, 9), Header(Capacity - 512));
        Assert.Equal(0UL, Header(0)); // the line at the tail
        Assert.Equal(504, ReadLength());
    }

    [Fact]
    public void ARecordThatWouldWrapStartsAtTheNextLapBehindPadding()
    {
        Advance(Capacity - 512);
        Assert.True(_writer.TryClaim(505, out Span<byte> payload));
        payload.Fill(0xAB);
        Assert.Equal(0UL, Header(Capacity - 512)); // nothing is visible while it is only claimed
        _writer.Commit(505, 9);
        Assert.Equal(0xC000_0000_0000_0000UL | 504, Header(Capacity - 512));
        Assert.Equal(RecordHeader.Of(505, 9), Header(0));
        Assert.Equal(505, ReadLength());
        Assert.False(_reader.TryRead(out _));
        _reader.Release();
    }

    [Fact]
    public void AWrapInsideABatchIsHiddenByTheBatch()
    {
        Advance(Capacity - 512);
        Assert.True(_writer.TryClaim(8, out _));
        _writer.CommitBatched(8, 1);
        Assert.True(_writer.TryClaim(500, out _));
        _writer.CommitBatched(500, 2);
        Assert.False(_reader.TryRead(out _));
        _writer.Flush();
        Assert.Equal(8, ReadLength());
        Assert.Equal(500, ReadLength());
    }

    [Fact]
    public void AWrapThatBeginsABatchWithholdsThePadding()
    {
        Advance(Capacity - 64);
        Assert.True(_writer.TryClaim(100, out _));
        _writer.CommitBatched(100, 1);
        Assert.Equal(0UL, Header(Capacity - 64));
        Assert.NotEqual(0UL, Header(0));
        _writer.Flush();
        Assert.Equal(100, ReadLength());
    }

    [Fact]
    public void TheLargestRecordIsHalfTheCapacityAndFitsFromEveryLine()
    {
        Assert.Equal(Capacity / 2 - 8, _writer.MaxPayload);
        for (ulong line = 0; line < Capacity; line += 64)
        {
            while (_bytes.U64(_ring + Wire.Ring.ReadPosition) % Capacity != line)
                Pass(56);
            Pass(_writer.MaxPayload);
        }
    }

    [Fact]
    public void OneByteMoreIsRefusedAndNothingIsSent()
    {
        byte[] before = _bytes.Copy();
        IpcException error = Fails(IpcStatus.TooLarge, () => _writer.TryWrite(new byte[_writer.MaxPayload + 1]));
        Assert.Contains((_writer.MaxPayload + 1).ToString(System.Globalization.CultureInfo.InvariantCulture), error.Message, StringComparison.Ordinal);
        Assert.Contains(_writer.MaxPayload.ToString(System.Globalization.CultureInfo.InvariantCulture), error.Message, StringComparison.Ordinal);
        Assert.Equal(before, _bytes.Copy());
        Assert.True(_writer.TryWrite("on it goes"u8));
    }

    [Fact]
    public void MisuseThrows()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _writer.TryClaim(-1, out _));
        Assert.Throws<InvalidOperationException>(() => _writer.Commit(0));
        Assert.Throws<InvalidOperationException>(() => _writer.TryExtendClaim(1, out _));
        Assert.True(_writer.TryClaim(4, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => _writer.Commit(5));
        Assert.Throws<ArgumentOutOfRangeException>(() => _writer.Commit(-1));
        _writer.Commit(4); // the claim has survived that
        Assert.Throws<InvalidOperationException>(() => _writer.Commit(4));
    }

    [Fact]
    public void TheLineBehindTheLastRecordStaysFree()
    {
        int count = 0;
        while (_writer.TryWrite(new byte[56]))
            count++;
        Assert.Equal(Capacity / 64 - 1, count);
        Assert.Equal(1u, _bytes[_ring + Wire.Ring.Space + Wire.Waiter.Wanted]);
    }

    [Fact]
    public void AWantedSpaceIsReturnedAtTheNextRelease()
    {
        Fill();
        Assert.Equal(56, ReadLength());
        _reader.Release();
        Assert.Equal(64UL, _bytes.U64(_ring + Wire.Ring.FreePosition));
        Assert.Equal(0u, _bytes[_ring + Wire.Ring.Space + Wire.Waiter.Wanted]);
        Assert.True(_writer.TryWrite(new byte[56]));
    }

    [Fact]
    public void SpaceIsReturnedByTheEighthOfTheRingZeroed()
    {
        for (int i = 0; i < 8; i++)
        {
            Assert.True(_writer.TryWrite(new byte[56]));
            Assert.Equal(0UL, _bytes.U64(_ring + Wire.Ring.FreePosition));
            ReadLength();
            _reader.Release();
            Assert.Equal((ulong)(i + 1) * 64, _bytes.U64(_ring + Wire.Ring.ReadPosition));
        }

        Assert.Equal(512UL, _bytes.U64(_ring + Wire.Ring.FreePosition));
        AssertInvariantZ(512, 512);
    }

    [Fact]
    public void ReadingAheadReleasesNothing()
    {
        for (ushort i = 0; i < 20; i++)
            Assert.True(_writer.TryWrite(new byte[8], i));
        for (ushort i = 0; i < 20; i++)
        {
            Assert.True(_reader.TryRead(out RingRecord record));
            Assert.Equal(i, record.Type);
        }

        Assert.Equal(0UL, _bytes.U64(_ring + Wire.Ring.ReadPosition));
        _reader.Release();
        Assert.Equal(20UL * 64, _bytes.U64(_ring + Wire.Ring.ReadPosition));
    }

    [Fact]
    public void AnExtendedClaimKeepsItsBytesInPlace()
    {
        Assert.True(_writer.TryClaim(4, out Span<byte> payload));
        "abcd"u8.CopyTo(payload);
        Assert.True(_writer.TryExtendClaim(1000, out payload));
        Assert.Equal(1000, payload.Length);
        Assert.Equal("abcd"u8.ToArray(), payload[..4].ToArray());
        payload[4..].Fill(0xEE);
        _writer.Commit(5);
        AssertInvariantZ(64, 0);
        Assert.Equal(5, ReadLength());
    }

    [Fact]
    public void AnExtendedClaimMovesToTheNextLap()
    {
        Advance(Capacity - 256);
        Assert.True(_writer.TryClaim(200, out Span<byte> payload));
        payload.Fill(0x5A);
        Assert.True(_writer.TryExtendClaim(1000, out payload));
        Assert.All(payload[..200].ToArray(), value => Assert.Equal(0x5A, value));
        payload.Fill(0x5B);
        _writer.Commit(1000, 3);
        Assert.Equal(RecordHeader.Padding(256), Header(Capacity - 256));
        Assert.True(_reader.TryRead(out RingRecord record));
        Assert.All(record.Payload.ToArray(), value => Assert.Equal(0x5B, value));
        _reader.Release();
        AssertInvariantZ(Capacity + 1024, Capacity + 1024);
    }

    [Fact]
    public void AMovedClaimThatIsAbandonedLeavesNoTrace()
    {
        Advance(Capacity - 256);
        Assert.True(_writer.TryClaim(200, out Span<byte> payload));
        payload.Fill(0x5A);
        Assert.True(_writer.TryExtendClaim(1000, out payload));
        payload.Fill(0x5B);
        _writer.Abandon();
        AssertInvariantZ(Capacity - 256, FreePosition);
        Assert.True(_writer.TryWrite("x"u8));
        Assert.Equal(1, ReadLength());
    }

    [Fact]
    public void AClaimThatCannotGrowStaysAsItIs()
    {
        for (int i = 0; i < 5; i++)
            Assert.True(_writer.TryWrite(new byte[504]));
        Assert.True(_writer.TryClaim(100, out Span<byte> payload));
        payload.Fill(1);
        Assert.False(_writer.TryExtendClaim(1900, out _));
        Fails(IpcStatus.TooLarge, () => _writer.TryExtendClaim(_writer.MaxPayload + 1, out _));
        _writer.Commit(100);
        for (int i = 0; i < 5; i++)
            Assert.Equal(504, ReadLength());
        Assert.Equal(100, ReadLength());
    }

    [Fact]
    public void RandomTrafficComesOutAsItWentIn()
    {
        Random random = new(12345);
        System.Collections.Generic.Queue<(int Length, ushort Type, byte Fill)> published = new();
        System.Collections.Generic.Queue<(int Length, ushort Type, byte Fill)> batched = new();
        for (int step = 0; step < 50_000; step++)
        {
            switch (random.Next(6))
            {
                case 0 or 1 or 2:
                    int length = random.Next(4) == 0 ? random.Next(_writer.MaxPayload + 1) : random.Next(200);
                    if (!_writer.TryClaim(length, out Span<byte> payload))
                    {
                        Publish();
                        break;
                    }

                    if (random.Next(8) == 0)
                    {
                        payload.Fill(0xFF);
                        _writer.Abandon();
                        break;
                    }

                    if (random.Next(8) == 0 && length < _writer.MaxPayload)
                    {
                        int more = random.Next(length, _writer.MaxPayload + 1);
                        if (_writer.TryExtendClaim(more, out Span<byte> larger))
                        {
                            payload = larger;
                            length = more;
                        }
                        else
                        {
                            Publish();
                        }
                    }

                    payload.Fill((byte)step);
                    int committed = random.Next(4) == 0 ? random.Next(length + 1) : length;
                    batched.Enqueue((committed, (ushort)step, (byte)step));
                    if (random.Next(3) == 0)
                    {
                        _writer.CommitBatched(committed, (ushort)step);
                    }
                    else
                    {
                        _writer.Commit(committed, (ushort)step);
                        Publish();
                    }

                    break;
                case 3:
                    _writer.Flush();
                    Publish();
                    break;
                case 4:
                    if (_reader.TryRead(out RingRecord record))
                    {
                        (int Length, ushort Type, byte Fill) expected = published.Dequeue();
                        Assert.Equal(expected.Length, record.Payload.Length);
                        Assert.Equal(expected.Type, record.Type);
                        Assert.Equal(-1, record.Payload.IndexOfAnyExcept(expected.Fill));
                    }
                    else
                    {
                        Assert.Empty(published);
                    }

                    break;
                default:
                    _reader.Release();
                    break;
            }
        }

        void Publish()
        {
            while (batched.Count > 0)
                published.Enqueue(batched.Dequeue());
        }
    }

    private ulong FreePosition => _bytes.U64(_ring + Wire.Ring.FreePosition);

    private ulong Header(int position) => _bytes.U64(_data + position % Capacity);

    /// <summary>Of every line from the tail to the end of the free space, the first 8 bytes are zero.</summary>
    private void AssertInvariantZ(int tail, ulong free)
    {
        for (int line = tail; line < (int)free + Capacity; line += 64)
            Assert.True(Header(line) == 0, $"line {line}");
    }

    /// <summary>Brings both ends to this position.</summary>
    private void Advance(int position)
    {
        for (int at = 0; at < position; at += 64)
            Pass(56);
    }

    /// <summary>One record of this length through the ring.</summary>
    private void Pass(int length)
    {
        if (!_writer.TryWrite(new byte[length]))
        {
            Assert.False(_reader.TryRead(out _)); // empty: the reader gives back what the writer wants
            Assert.True(_writer.TryWrite(new byte[length]));
        }

        Assert.Equal(length, ReadLength());
        _reader.Release();
    }

    private void Fill()
    {
        while (_writer.TryWrite(new byte[56]))
        {
            // until it is full
        }
    }

    private int ReadLength()
    {
        Assert.True(_reader.TryRead(out RingRecord record));
        return record.Payload.Length;
    }
}
