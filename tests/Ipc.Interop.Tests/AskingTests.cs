using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Who sleeps often asks publishers to fence for now, and needs no membarrier from then on; docs/wire-format.md section 3.</summary>
public sealed class AskingTests(Peers peers)
{
    private const int Asking = 8, Asked = 3, Settled = 7;
    private const string Long = "timeout=600000";

    public static TheoryData<Language, Language> Pairs => Matrix.Pairs;

    /// <summary>Bits that nobody writes alone; and the last asking that there is a number for. With bit 2 taken for settled neither side would fence, for good.</summary>
    [Theory]
    [InlineData(Language.C, 4u, 8 + 7)]
    [InlineData(Language.CSharp, 4u, 8 + 7)]
    [InlineData(Language.C, 6u, 8 + 7)]
    [InlineData(Language.CSharp, 6u, 8 + 7)]
    [InlineData(Language.C, 2u, 8 + 7)]
    [InlineData(Language.CSharp, 2u, 8 + 7)]
    [InlineData(Language.C, 0xFFFFFFF8u, 7)]
    [InlineData(Language.CSharp, 0xFFFFFFF8u, 7)]
    public void WhatNobodyWritesIsNoAsking(Language sleeping, uint value, int settled)
    {
        string name = peers.NewName("asking");
        Driven writer = peers.At(Matrix.Other(sleeping), "sender"), reader = peers.At(sleeping, "receiver");
        reader.Must($"open-reader 1 {name} wait=block");
        writer.Must($"open-writer 1 {name} wait=block");
        using var region = new LiveRegion(peers.Directory.FileOf(name));
        region[region.Body + Wire.Ring.Data + Wire.Waiter.FenceRequired] = value;
        for (int i = 0; i < 4; i++)
            Exchange(region, reader, writer);
        Assert.Equal((uint)settled, region[region.Body + Wire.Ring.Data + Wire.Waiter.FenceRequired]);
        reader.Must("close 1");
        writer.Must("close 1");
    }

    /// <summary>A sleeper that would call membarrier is refused it: the word would be 1, for good.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void WhoSleepsOftenNeedsNoMembarrierWhilePublishersMeetSleepers(Language sleeping, Language publishing)
    {
        Matrix.SkipWhenEmulated(sleeping, "filters of system calls");
        string name = peers.NewName("asking");
        Driven writer = peers.At(publishing, "sender");
        using Driven reader = peers.New(sleeping);
        reader.Must($"open-reader 1 {name} wait=block");
        writer.Must($"open-writer 1 {name} wait=block");
        using var region = new LiveRegion(peers.Directory.FileOf(name));
        long asked = region.Body + Wire.Ring.Data + Wire.Waiter.FenceRequired, count = region.Body + Wire.Ring.Data + Wire.Waiter.FenceCount;

        for (uint i = 0; i < 3; i++)
        {
            Assert.Equal((0u, i), (region[asked], region[count]));
            Exchange(region, reader, writer);
        }

        Exchange(region, reader, writer);
        Assert.Equal((uint)(Asking + Settled), region[asked]);
        reader.Must("refuse-membarrier");
        for (int i = 0; i < 10; i++)
        {
            Exchange(region, reader, writer);
            writer.Must("send 1 1 2 100 timeout=1000");
            for (int two = 0; two < 2; two++)
                ReadAndRelease();
        }

        Assert.Equal((uint)(Asking + Settled), region[asked]);
        writer.Must("send 1 1 16 100 timeout=1000"); // in a row, and nobody sleeps
        Assert.Equal((Asking, 0u), ((int)region[asked], region[count]));
        for (int i = 0; i < 16; i++)
            ReadAndRelease();
        Exchange(region, reader, writer);
        Assert.Equal(1u, region[asked]);
        reader.Must("close 1");
        writer.Must("close 1");

        void ReadAndRelease()
        {
            reader.Must("read 1");
            reader.Must("release 1");
        }
    }

    /// <summary>The reader sleeps, and is woken.</summary>
    private static void Exchange(LiveRegion region, Driven reader, Driven writer)
    {
        reader.Begin($"read 1 {Long}");
        Watchdog.Until(() => (region[region.Body + Wire.Ring.Data] & 1) != 0, "the reader to say that it sleeps");
        reader.WaitUntilAsleep();
        writer.Must("write 1 1 100 1");
        Assert.Equal(IpcStatus.Ok, reader.Result().Status);
        reader.Must("release 1");
    }
}
