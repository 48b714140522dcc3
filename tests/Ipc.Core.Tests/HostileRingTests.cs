using System;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>The peer writes nonsense: a typed error with both values, nothing outside touched, nothing hangs.</summary>
public sealed class HostileRingTests : RegionTest
{
    private const int Capacity = 4096;

    public static TheoryData<ulong> BadHeaders => new()
    {
        1UL,                                // bit 63 clear
        0x7FFF_FFFF_FFFF_FFFF,
        0x8001_0000_0000_0008,              // reserved bits
        0xA000_0000_0000_0008,
        0xC001_0000_0000_0038,
        RecordHeader.Of(2041, 0),           // more than half the capacity
        RecordHeader.Of(uint.MaxValue, 0),  // size overflows 32 bits
        RecordHeader.Of(0x8000_0000, 0),
        RecordHeader.Padding(64),           // not the rest of the lap
        RecordHeader.Padding(8192),
        0xFFFF_FFFF_FFFF_FFFF,
    };

    [Theory]
    [MemberData(nameof(BadHeaders))]
    public void ABadRecordHeaderIsCorruptForTheReader(ulong header)
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring");
        using LiveRegion bytes = Look("ring");
        bytes.U64((long)bytes.U64(bytes.Body + Wire.Ring.DataOffset), header);

        for (int again = 0; again < 2; again++)
        {
            CorruptRegionException error = Assert.Throws<CorruptRegionException>(() => reader.TryRead(out _));
            Assert.Equal(IpcStatus.Corrupt, error.Status);
            Assert.Throws<CorruptRegionException>(() => reader.Read(out _, Hang));
        }
    }

    [Theory]
    [MemberData(nameof(BadHeaders))]
    public void ABadRecordHeaderIsCorruptForANewWriter(ulong header)
    {
        RingImage image = RegionImage.Ring();
        image.AddNumbered(0, 3, 100);
        image.U64(image.At(image.Tail), header);
        Regions.Place("ring", image.Bytes);
        Assert.Throws<CorruptRegionException>(() => RingWriter.Open("ring"));
        Assert.Equal(image.Bytes.AsSpan(4096).ToArray(), Regions.Read("ring").AsSpan(4096).ToArray());
        LeavesFiles = true;
    }

    [Fact]
    public void ARecordBeyondTheEndOfTheLapIsCorrupt()
    {
        RingImage image = RegionImage.Ring().StartAt(Capacity - 64);
        image.U64(image.At(Capacity - 64), RecordHeader.Of(57, 0));
        Regions.Place("ring", image.Bytes);
        using RingReader reader = RingReader.Open("ring");
        Assert.Throws<CorruptRegionException>(() => reader.TryRead(out _));
        LeavesFiles = true;
    }

    [Fact]
    public void PaddingWithoutARecordBehindItIsCorrupt()
    {
        RingImage image = RegionImage.Ring().StartAt(Capacity - 64);
        image.U64(image.At(Capacity - 64), RecordHeader.Padding(64));
        Regions.Place("ring", image.Bytes);
        using RingReader reader = RingReader.Open("ring");
        Assert.Throws<CorruptRegionException>(() => reader.TryRead(out _));
        LeavesFiles = true;
    }

    [Fact]
    public void PaddingBehindPaddingIsCorrupt()
    {
        RingImage image = RegionImage.Ring().StartAt(Capacity - 64);
        image.U64(image.At(Capacity - 64), RecordHeader.Padding(64));
        image.U64(image.At(Capacity), RecordHeader.Padding(Capacity));
        Regions.Place("ring", image.Bytes);
        using RingReader reader = RingReader.Open("ring");
        Assert.Throws<CorruptRegionException>(() => reader.TryRead(out _));
        LeavesFiles = true;
    }

    [Fact]
    public void AReaderIsNotLedRoundTheRing()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring");
        using LiveRegion bytes = Look("ring");
        long data = (long)bytes.U64(bytes.Body + Wire.Ring.DataOffset);
        for (int line = 0; line < Capacity; line += 64)
            bytes.U64(data + line, RecordHeader.Of(0, 0));
        int count = 0;
        Assert.Throws<CorruptRegionException>(() =>
        {
            while (reader.TryRead(out _))
                count++;
        });
        Assert.Equal(Capacity / 64, count);
    }

    [Theory]
    [InlineData(64)]             // beyond what was published
    [InlineData(1)]
    [InlineData(ulong.MaxValue)]
    [InlineData(1UL << 63)]
    public void ABadFreePositionIsCorruptForTheWriter(ulong free)
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring");
        using LiveRegion bytes = Look("ring");
        bytes.U64(bytes.Body + Wire.Ring.FreePosition, free == 64 ? 8192 : free);
        Assert.Throws<CorruptRegionException>(() =>
        {
            while (writer.TryWrite(new byte[56]))
            {
                // until it has to look at the free position
            }
        });
        Assert.Throws<CorruptRegionException>(() => writer.Claim(56, out _, Hang));
        bytes.U64(bytes.Body + Wire.Ring.FreePosition, 0);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 0)]
    [InlineData(0, 64)]
    [InlineData(8192, 0)]
    [InlineData(0, ulong.MaxValue)]
    [InlineData(ulong.MaxValue, 0)]
    [InlineData((1UL << 62) + 64, (1UL << 62) + 64)] // nobody gets there
    public void BadPositionsAreRefusedWhenAttaching(ulong read, ulong free)
    {
        RingImage image = RegionImage.Ring();
        image.U64(image.Ring + Wire.Ring.ReadPosition, read);
        image.U64(image.Ring + Wire.Ring.FreePosition, free);
        Regions.Place("ring", image.Bytes);
        Assert.Throws<CorruptRegionException>(() => RingReader.Open("ring"));
        Assert.Throws<CorruptRegionException>(() => RingWriter.Open("ring"));
        LeavesFiles = true;
    }

    [Fact]
    public void PositionsFarAlongWorkAsNearOnes()
    {
        Regions.Place("ring", RegionImage.Ring().StartAt(0x3FFF_FFFF_FFFF_F000).AddNumbered(0, 10, 100).Bytes);
        using RingReader reader = RingReader.Open("ring");
        using RingWriter writer = RingWriter.Open("ring");
        for (ulong number = 0; number < 10; number++)
        {
            Assert.True(reader.TryRead(out RingRecord record));
            Assert.Equal(Numbered.Record(number, 100), record.Payload.ToArray());
            reader.Release();
        }

        for (int i = 0; i < 500; i++)
        {
            Assert.True(writer.TryWrite(new byte[100]));
            Assert.True(reader.TryRead(out _));
            reader.Release();
        }

        LeavesFiles = true;
    }

    [Fact]
    public void RandomBytesNeverCrash()
    {
        Random random = new(99);
        for (int round = 0; round < 300; round++)
        {
            RingImage image = RegionImage.Ring();
            image.AddNumbered(0, 20, 150);
            int where = round % 2 == 0 ? 4096 : image.Ring;
            for (int i = 0; i < 20; i++)
                image.Bytes[random.Next(where, image.Bytes.Length)] = (byte)random.Next(256);
            Regions.Place("ring", image.Bytes);
            try
            {
                using RingReader reader = RingReader.Open("ring");
                using RingWriter writer = RingWriter.Open("ring");
                for (int i = 0; i < 200 && reader.TryRead(out RingRecord record); i++)
                {
                    _ = record.Payload.ToArray();
                    reader.Release();
                    writer.TryWrite(new byte[random.Next(300)]);
                }
            }
            catch (IpcException)
            {
                // refused, with whatever error: what counts is that we are still here
            }
        }

        LeavesFiles = true;
    }
}
