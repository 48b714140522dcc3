using System;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Much traffic through one ring: everything arrives once, whole and in order, whoever writes and whoever reads.</summary>
public sealed class RingTrafficTests(Peers peers)
{
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void RecordsOfRandomSizesArriveWholeAndInOrder(Language writer, Language reader) =>
        Run(writer, reader, "capacity=65536", count: 20000, max: 3000, batch: 1, release: 1);

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void BatchesAndLateReleasesChangeNothing(Language writer, Language reader) =>
        Run(writer, reader, "capacity=65536", count: 20000, max: 1000, batch: 9, release: 7);

    /// <summary>Records up to half the ring: padding at the end of nearly every lap, full and empty all the time.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ATinyRingWrapsAtEveryPosition(Language writer, Language reader) =>
        Run(writer, reader, "capacity=4096", count: 5000, max: 2040, batch: 1, release: 1);

    [Theory]
    [MemberData(nameof(Matrix.PairsAndWaitModes), MemberType = typeof(Matrix))]
    public void AnEchoComesBackInEveryWaitMode(Language client, Language server, string wait)
    {
        string there = peers.NewName("there"), back = peers.NewName("back");
        Driven ping = peers.At(client, "writer"), pong = peers.At(server, "reader");
        ping.Must($"open-writer 1 {there} capacity=65536 wait={wait}");
        ping.Must($"open-reader 2 {back} capacity=65536 wait={wait}");
        pong.Must($"open-reader 1 {there} wait={wait}");
        pong.Must($"open-writer 2 {back} wait={wait}");
        pong.Begin("pong 2 1 1000 timeout=600000");
        Assert.Equal(IpcStatus.Ok, ping.Do("ping 1 2 1000 500 timeout=600000").Status);
        Assert.Equal(IpcStatus.Ok, pong.Result().Status);
        foreach (Driven end in new[] { ping, pong })
        {
            end.Must("close 1");
            end.Must("close 2");
        }
        Assert.Empty(peers.Directory.LeftOf(there));
        Assert.Empty(peers.Directory.LeftOf(back));
    }

    /// <summary>A writer counts the publishes that had to wake its reader, and no others.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AWriterCountsTheSleepersThatItWakes(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader, "capacity=4096 wait=block");
        Assert.Equal(0, ring.Write("wakes")["wakes"]);
        uint reads = 0;
        Watchdog.Until(() =>
        {
            ring.Reader.Begin($"read {ring.R} timeout=600000");
            ring.Reader.WaitUntilAsleep();
            ring.MustWrite(++reads, 10, 1);
            Assert.Equal(IpcStatus.Ok, ring.Reader.Result().Status);
            return ring.Write("wakes")["wakes"] != 0;
        }, "a publish to meet a sleeper");
        Assert.InRange(ring.Write("wakes")["wakes"], 1, reads);
        ring.MustWrite(1, 10, 1); // a reader that found this at the last moment left its word armed
        long before = ring.Write("wakes")["wakes"];
        for (uint n = 2; n <= 5; n++)
            ring.MustWrite(n, 10, 1);
        Assert.Equal(before, ring.Write("wakes")["wakes"]);
    }

    /// <summary>Every writer size class against every reader: a record of n bytes for each n around the line size.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void EveryLengthAroundALineArrives(Language writer, Language reader)
    {
        using var ring = new RingPair(peers, writer, reader);
        for (int length = 0; length <= 200; length++)
        {
            ring.MustWrite((uint)length, length, length);
            ring.MustRead((uint)length, length, length);
            ring.Read("release");
        }
    }

    private void Run(Language writer, Language reader, string options, int count, int max, int batch, int release)
    {
        using var ring = new RingPair(peers, writer, reader, options);
        ring.Reader.Begin($"receive {ring.R} 1 {count} {max} release={release} timeout=600000");
        Answer sent = ring.Write("send", $"1 {count} {max} batch={batch} timeout=600000");
        Answer received = ring.Reader.Result();
        Assert.Equal("0 redelivered=0", received.Line);
        Assert.Equal("0", sent.Line);
    }
}
