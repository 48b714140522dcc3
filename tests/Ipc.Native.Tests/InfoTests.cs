using System;
using System.Linq;
using System.Text;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>Who is there, numbers, and the calls that never wait, through the binding.</summary>
public sealed class InfoTests
{
    private static NativeDeadline Soon => NativeDeadline.After(TimeSpan.FromSeconds(30));

    [Fact]
    public void AQueueTellsItsNumbersAndItsParticipants()
    {
        string name = RegionName.Of();
        var options = new NativeQueueOptions { BlockSize = 64, BlockCount = 4, Lifetime = NativeLifetime.WhileUsed, LoanBudget = 1 << 20 };
        using NativeQueue queue = NativeQueue.Open(name, options);
        NativeQueue other = NativeQueue.Open(name);
        Assert.Equal(NativeStatus.Empty, queue.TryReceive(out _));
        Assert.Equal(NativeStatus.Ok, queue.TryClaim(3, out NativeBlock claim));
        "abc"u8.CopyTo(claim.Payload);
        Assert.Equal(NativeStatus.Ok, queue.Commit(ref claim, 3, 7));
        NativeQueueInfo info = queue.GetInfo();
        Assert.Equal((64, 4, 1, 1, 2, 64, 1L, 1L << 20), (info.BlockSize, info.BlockCount, info.Segments, info.SegmentLimit, info.Participants, info.ParticipantCapacity, info.Depth, info.LoanBudget));
        Assert.Equal(NativeStatus.Ok, queue.Wait(Soon));
        Assert.Equal(NativeStatus.Ok, queue.TryReceive(out NativeBlock got));
        Assert.Equal(("abc", 7), (Encoding.UTF8.GetString(got.Payload), got.Type));
        queue.Release(ref got);

        NativeParticipant[] participants = queue.GetParticipants();
        Assert.Equal(2, participants.Length);
        Assert.All(participants, static one => Assert.True(one.ProcessId == Environment.ProcessId && one.IsReader && one.IsWriter && one.Runtime == 1));
        Assert.InRange(participants[0].Attached, DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        Assert.Equal(NativeStatus.Ok, queue.NextChange(out NativeChangeKind kind, out NativeParticipant? who, Soon));
        Assert.Equal((NativeChangeKind.Attached, participants.Max(static one => one.Index)), (kind, who!.Index));
        other.Dispose();
        Assert.Equal(NativeStatus.Ok, queue.NextChange(out kind, out who, Soon));
        Assert.Equal(NativeChangeKind.Left, kind);
        Assert.Equal(NativeStatus.Timeout, queue.NextChange(out _, out who));
        Assert.Null(who);
        queue.TrimLoans();
        queue.Stop();
        Assert.Equal(NativeStatus.Stopped, queue.Wait(Soon));
        queue.Resume();
        Assert.Equal(NativeStatus.Timeout, queue.Wait(NativeDeadline.Now));
    }

    [Fact]
    public void ATopicTellsBothSidesTheirNumbers()
    {
        string name = RegionName.Of();
        using NativeTopicWriter writer = NativeTopicWriter.Open(name, new NativeTopicOptions { BlockSize = 64, BlockCount = 4 });
        using NativeTopicReader reader = NativeTopicReader.Open(name);
        Assert.Equal(NativeStatus.Empty, reader.TryRead(out _));
        Assert.Equal(NativeStatus.Ok, writer.TryClaim(1, out NativeBlock claim));
        Assert.Equal(NativeStatus.Ok, writer.Commit(ref claim, 1));
        Assert.Equal(NativeStatus.Ok, writer.Publish("x"u8));
        NativeTopicInfo written = writer.GetInfo(), read = reader.GetInfo();
        Assert.Equal((1, 1, 2L), (written.Readers, written.Writers, written.Behind));
        Assert.Equal((2L, 0L, 64), (read.Behind, read.Lost, read.BlockSize));
        Assert.Equal(NativeStatus.Ok, reader.Wait(Soon));
        Assert.Equal(NativeStatus.Ok, reader.TryRead(out _));
        Assert.Equal(NativeStatus.Ok, reader.Release());
        Assert.Equal(1, reader.GetInfo().Behind);
        Assert.Equal(2, reader.GetParticipants().Length);
        Assert.Equal(2, writer.GetParticipants().Length);
        Assert.Equal(NativeStatus.Ok, reader.NextChange(out NativeChangeKind kind, out NativeParticipant? who, Soon));
        Assert.Equal((NativeChangeKind.Attached, true), (kind, who!.IsWriter));
        Assert.Equal(NativeStatus.Ok, writer.NextChange(out kind, out who, Soon));
        Assert.Equal((NativeChangeKind.Attached, true), (kind, who!.IsReader));
        writer.TrimLoans();
        reader.Stop();
        Assert.Equal(NativeStatus.Ok, reader.TryRead(out _));
        Assert.Equal(NativeStatus.Stopped, reader.Read(out _, Soon));
        reader.Resume();
        writer.Stop();
        writer.Resume();
    }

    [Fact]
    public void ARingTellsOfItsOtherEndAndOfWhatIsLeft()
    {
        string name = RegionName.Of();
        using NativeRingReader reader = NativeRingReader.Open(name, new NativeRingOptions { Capacity = 4096, SpinLimit = TimeSpan.FromTicks(10) });
        Assert.Equal((NativePeerState.Never, 4096L), (reader.Peer, reader.Capacity));
        using (NativeRingWriter writer = NativeRingWriter.Open(name))
        {
            Assert.Equal((NativePeerState.Live, 4096L, 0L), (writer.Peer, writer.Capacity, writer.Wakes));
            Assert.Equal(NativeStatus.Ok, writer.TryClaim(1, out Span<byte> payload));
            payload[0] = 1;
            Assert.Equal(NativeStatus.Ok, writer.Commit(1));
            Assert.False(reader.IsDrained);
            Assert.Equal(NativeStatus.Ok, reader.Wait(Soon));
            Assert.Equal(NativeStatus.Ok, reader.TryRead(out _));
            reader.Release();
            Assert.True(reader.IsDrained);
            writer.TrimLoans();
            writer.Stop();
            writer.Resume();
        }

        Assert.Equal(NativePeerState.Left, reader.Peer);
        reader.Stop();
        Assert.NotEqual(NativeStatus.Ok, reader.Wait(Soon));
        reader.Resume();
    }
}
