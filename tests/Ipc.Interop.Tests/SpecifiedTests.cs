using System;
using System.IO;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Single sentences of docs/wire-format.md about which the two libraries once differed: a third one cannot tell what holds.</summary>
public sealed class SpecifiedTests(Peers peers)
{
    /// <summary>"All parts that a body names MUST lie inside it", not only inside the file.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void APartBehindTheBodyIsCorrupt(Language language)
    {
        RingImage ring = RegionImage.Ring();
        Image listener = RegionImage.Listener();
        QueueImage queue = RegionImage.Queue(slots: 8, segmentLimit: 3);
        TopicImage topic = RegionImage.Topic(slots: 8);
        AssertCorrupt(language, "open-reader", EndingBefore(ring, ring.Bytes.Length));
        AssertCorrupt(language, "connect", EndingBefore(listener, listener.U64(Body(listener) + Wire.Listener.ReadyOffset) + 8));
        AssertCorrupt(language, "open-queue", EndingBefore(queue, queue.U64(queue.Body + Wire.Queue.PoolOffset)));
        AssertCorrupt(language, "open-subscriber", EndingBefore(topic, topic.U64(topic.Body + Wire.Topic.SlotsOffset) + 8 * RegionImage.Stride));
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ASlotOfAListenerStandsOn128Bytes(Language language)
    {
        Image listener = RegionImage.Listener();
        listener.U64(Body(listener) + Wire.Listener.SlotsOffset, listener.U64(Body(listener) + Wire.Listener.SlotsOffset) - 64);
        AssertCorrupt(language, "connect", listener.Bytes);
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ATopicHasRoomForAWriter(Language language)
    {
        TopicImage topic = RegionImage.Topic(slots: 8);
        topic[topic.Body + Wire.Topic.MaxReaders] = 8;
        AssertCorrupt(language, "open-subscriber", topic.Bytes);
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void NobodyGetsBeyondTheLastPosition(Language language)
    {
        foreach (string end in new[] { "open-reader", "open-writer" })
        {
            RingImage ring = RegionImage.Ring();
            ring[ring.Ring + Wire.Ring.WriterState] = Wire.Ring.Left;
            ring.U64(ring.Ring + Wire.Ring.ReadPosition, (1UL << 62) + 64);
            ring.U64(ring.Ring + Wire.Ring.FreePosition, (1UL << 62) + 64);
            AssertCorrupt(language, end, ring.Bytes);
        }
    }

    /// <summary>A padding's length is the rest of the lap, less its header: not one that is rounded up to it.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void APaddingIsExactlyTheRestOfItsLap(Language language)
    {
        foreach ((ulong length, IpcStatus expected) in new[] { (56UL, IpcStatus.Ok), (55UL, IpcStatus.Corrupt) })
        {
            RingImage ring = RegionImage.Ring().StartAt(4096 - 64);
            ring.U64(ring.At(4096 - 64), 3UL << 62 | length);
            ring.U64(ring.At(4096), 1UL << 63 | 8);
            string name = peers.NewName("padding");
            peers.Directory.Place(name, ring.Bytes);
            Driven reader = peers.At(language, "victim");
            reader.Must($"open-reader 1 {name} open=existing");
            Assert.Equal(expected, reader.Do("read 1").Status);
            reader.Must("close 1");
            File.Delete(peers.Directory.FileOf(name)); // it is persistent
        }
    }

    /// <summary>"Also repairs slots whose owner has no live entry at all": a thread that was in a call while its object was closed may have left one.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void WhatATopicsNobodyWritesBecomesAGapOfNobody(Language language)
    {
        TopicImage topic = RegionImage.Topic(slots: 8).Put(8, Wire.Slot.Writing, owner: 5).Put(9, Wire.Slot.Writing, owner: 7).Put(10, Wire.Slot.Ready, type: 3);
        topic.U64(topic.Body + Wire.Topic.Tail, 11);
        RegionImage.AddParticipant(topic, 4, Wire.Participant.RoleWriter); // it is dead; 6 was never there
        string name = peers.NewName("nobody");
        peers.Directory.Place(name, topic.Bytes);
        Driven reader = peers.At(language, "reader");
        reader.Must($"open-subscriber 1 {name} open=existing join=oldest");
        Assert.Equal(3, (int)reader.Must("read 1")["type"]);
        AssertSlot(name, topic.SlotAt(8), Wire.Slot.Word(1, 0, 0, Wire.Slot.Gap));
        AssertSlot(name, topic.SlotAt(9), Wire.Slot.Word(1, 0, 0, Wire.Slot.Gap));
        reader.Must("close 1");
        File.Delete(peers.Directory.FileOf(name)); // it is persistent
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void WhatATopicsWriterAbandonsIsAGapOfNobody(Language language)
    {
        TopicImage topic = RegionImage.Topic(slots: 8);
        string name = peers.NewName("abandoned");
        peers.Directory.Place(name, topic.Bytes);
        Driven writer = peers.At(language, "writer");
        writer.Must($"open-publisher 1 {name} open=existing");
        writer.Must("claim 1 20");
        writer.Must("abandon 1");
        AssertSlot(name, topic.SlotAt(8), Wire.Slot.Word(1, 0, 0, Wire.Slot.Gap));
        writer.Must("close 1");
        File.Delete(peers.Directory.FileOf(name)); // it is persistent
    }

    private static int Body(Image image) => (int)image.U64(Wire.Region.BodyOffset);

    /// <summary>The same file, whose body ends a line before that place.</summary>
    private static byte[] EndingBefore(Image image, ulong place)
    {
        image.U64(Wire.Region.BodySize, place - 64 - (ulong)Body(image));
        return image.Bytes;
    }

    private static byte[] EndingBefore(Image image, int place) => EndingBefore(image, (ulong)place);

    private void AssertCorrupt(Language language, string open, byte[] bytes)
    {
        string name = peers.NewName("specified");
        peers.Directory.Place(name, bytes);
        Answer answer = peers.At(language, "victim").Do($"{open} 1 {name} open=existing");
        Assert.True(answer.Status == IpcStatus.Corrupt, $"{open}: {answer}");
        File.Delete(peers.Directory.FileOf(name));
    }

    private void AssertSlot(string name, int at, ulong expected) => Assert.Equal(expected, BitConverter.ToUInt64(peers.Directory.Read(name), at));
}
