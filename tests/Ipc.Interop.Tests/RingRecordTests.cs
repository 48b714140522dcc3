using System;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>One record at a time: what the writer of one language does is what the reader of the other sees.</summary>
public sealed class RingRecordTests(Peers peers)
{
    private const int Capacity = 4096, Largest = Capacity / 2 - 8;

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ABatchIsSeenOnlyWhenItIsPublished(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        foreach (int n in new[] { 1, 2, 3 })
        {
            Assert.Equal(IpcStatus.Ok, ring.Write("claim", "100").Status);
            ring.Write("fill", $"{n}");
            Assert.Equal(IpcStatus.Ok, ring.Write("batch", $"100 {n}").Status);
            Assert.Equal(IpcStatus.Empty, ring.Read("read").Status);
        }
        ring.Write("flush");
        foreach (uint n in new uint[] { 1, 2, 3 })
            ring.MustRead(n, 100, (int)n);
        Assert.Equal(IpcStatus.Empty, ring.Read("read").Status);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ACommitPublishesTheBatchBeforeIt(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        ring.Write("claim", "10");
        ring.Write("fill", "1");
        ring.Write("batch", "10 1");
        ring.MustWrite(2, 20, 2);
        ring.MustRead(1, 10, 1);
        ring.MustRead(2, 20, 2);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AnAbandonedClaimLeavesNoTrace(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        Assert.Equal(IpcStatus.Ok, ring.Write("claim", "1000").Status);
        ring.Write("fill", "9"); // without the zeroing these bytes could be taken for headers
        ring.Write("abandon");
        Assert.Equal(IpcStatus.Empty, ring.Read("read").Status);
        ring.MustWrite(5, 30, 5);
        ring.MustRead(5, 30, 5);
        Assert.Equal(IpcStatus.Empty, ring.Read("read").Status);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AShorterCommitLeavesTheRestOfTheClaimFree(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        ring.Write("claim", "1500");
        ring.Write("fill", "3");
        ring.Write("commit", "40 3");
        ring.MustRead(3, 40, 3);
        Assert.Equal(IpcStatus.Empty, ring.Read("read").Status);
        ring.MustWrite(4, 50, 4);
        ring.MustRead(4, 50, 4);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheLargestRecordArrivesAndALargerOneIsRefusedAndNothingIsLost(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        Assert.Equal(Largest, ring.Write("capacity")["max"]);
        ring.MustWrite(1, Largest, 1);
        Assert.Equal(IpcStatus.TooLarge, ring.Write("write", $"2 {Largest + 1} 2").Status);
        ring.MustRead(1, Largest, 1);
        ring.Read("release");
        ring.MustWrite(3, 10, 3);
        ring.MustRead(3, 10, 3);
    }

    /// <summary>A record that ends with the last byte of the lap needs no padding, and the next one begins the next lap.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ARecordMayEndExactlyAtTheEndOfTheLap(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        for (uint n = 0; n < 3 * Capacity / 1024; n++)
        {
            ring.MustWrite(n, 1024 - 8, 1); // four fill a lap exactly
            ring.MustRead(n, 1024 - 8, 1);
            ring.Read("release");
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AnExtendedClaimKeepsItsBytesAlsoAcrossTheEndOfTheLap(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        for (uint n = 1; n <= 40; n++) // 40 x 320 bytes: the extension meets the end of the lap in several ways
        {
            Assert.Equal(IpcStatus.Ok, ring.Write("claim", "100").Status);
            ring.Write("fill", $"{n}");
            Assert.Equal(IpcStatus.Ok, ring.Write("extend", "700").Status);
            Assert.Equal(IpcStatus.Ok, ring.Write("commit", $"100 {n}").Status);
            ring.MustRead(n, 100, (int)n);
            ring.Read("release");

            ring.Write("claim", "10");
            Assert.Equal(IpcStatus.Ok, ring.Write("extend", "250").Status);
            ring.Write("fill", $"{n}");
            Assert.Equal(IpcStatus.Ok, ring.Write("commit", $"250 {n}").Status);
            ring.MustRead(n, 250, (int)n);
            ring.Read("release");
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AFullRingSaysSoAndGoesOnWhenTheReaderReleases(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        uint written = 0;
        while (ring.Write("claim", "120").Status == IpcStatus.Ok)
        {
            ring.Write("fill", $"{written}");
            ring.Write("commit", "120 1");
            written++;
            Assert.True(written <= Capacity / 128, "a ring holds more than its capacity");
        }
        Assert.True(written >= Capacity / 128 - 1, $"full after {written} records of 128 bytes"); // one line stays free
        ring.MustRead(0, 120, 1);
        Assert.Equal(IpcStatus.Full, ring.Write("claim", "120").Status); // read, but not released
        ring.Writer.Begin($"write {ring.W} {written} 120 1 timeout=600000");
        ring.Read("release");
        for (uint n = 1; n <= written; n++)
        {
            ring.MustRead(n, 120, 1);
            ring.Read("release");
        }
        Assert.Equal(IpcStatus.Ok, ring.Writer.Result().Status);
    }

    /// <summary>Reading ahead holds everything that was read, until one release gives all of it back.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void OneReleaseGivesBackAllThatWasReadAhead(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        for (int lap = 0; lap < 5; lap++)
        {
            for (uint n = 0; n < 5; n++)
                ring.MustWrite(n, 500, 1);
            for (uint n = 0; n < 5; n++)
                ring.MustRead(n, 500, 1);
            ring.Read("release");
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void MisuseIsAnErrorAndTheRingGoesOn(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        Assert.Equal(IpcStatus.InvalidState, ring.Write("commit", "10 1").Status); // no claim
        ring.Write("claim", "10");
        Assert.True(ring.Write("commit", "11 1").Status < 0, "more was committed than claimed");
        ring.Write("abandon");
        ring.MustWrite(1, 10, 1);
        ring.MustRead(1, 10, 1);
    }
}
