using System;
using System.IO;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>The walk over a region that says whether it is as new: it has to complain of everything that the dead can leave.</summary>
public sealed class RegionCheckTests(Peers peers)
{
    [Fact]
    public void WhatTheDeadLeftInAQueueIsComplainedOf() => MustComplain("queue", _ => { },
        "participant 0", "participant 1", "being read by participant 1", "being written by participant 0", "nobody received");

    [Fact]
    public void WhatTheDeadLeftInATopicIsComplainedOf() => MustComplain("topic", _ => { },
        "participant 0", "reader 1 is in the topic's table", "being written by participant 0");

    [Fact]
    public void ABlockThatNobodyNamesIsComplainedOf() => MustComplain("queue-grown",
        image => image.U64(Pool(image) + Wire.Pool.Blocks, (3UL << 32) | Wire.Pool.Published), "named by 0 messages");

    [Fact]
    public void ABlockOfNobodyIsComplainedOf() => MustComplain("queue-grown",
        image => image.U64(Pool(image) + Wire.Pool.Blocks, (3UL << 32) | (5UL << 16) | Wire.Pool.Owned), "belongs to participant 4");

    [Fact]
    public void AFreeBlockThatIsNamedIsComplainedOf() => MustComplain("queue",
        image => image.U64(Pool(image) + Wire.Pool.Blocks, 1UL << 32), "is free and named by 1");

    [Fact]
    public void AStraySealIsComplainedOf() => MustComplain("queue",
        image =>
        {
            int slot = (int)image.U64(Body(image) + Wire.Queue.SegmentsOffset) + 7 * RegionImage.Stride;
            image.U64(slot, image.U64(slot) | (Wire.Slot.Sealed << 8));
        }, "is sealed at slot 7");

    [Fact]
    public void ARecordBehindTheTailIsComplainedOf() => MustComplain("ring-loan",
        image => image.U64((int)image.U64(Body(image) + Wire.Ring.DataOffset) + 256, 1), "behind the tail", "was not read");

    private static int Body(Image image) => (int)image.U64(Wire.Region.BodyOffset);

    private static int Pool(Image image) => (int)image.U64(Body(image) + Wire.Queue.PoolOffset);

    private void MustComplain(string golden, Action<Image> spoil, params string[] complaints)
    {
        string name = peers.NewName("check");
        var image = new Image(File.ReadAllBytes(Path.Combine(PeerPrograms.Top, "tests", "vectors", "regions", $"{golden}.region")));
        spoil(image);
        peers.Directory.Place(name, image.Bytes);
        Answer answer = peers.At(Language.C, "checker").Do($"check {name} empty");
        Assert.Equal(Answer.WrongContent, (int)answer.Status);
        foreach (string complaint in complaints)
            Assert.Contains(complaint, answer.Text, StringComparison.Ordinal);
        File.Delete(peers.Directory.FileOf(name));
    }
}
