using System.Collections.Generic;

namespace Ipc.Crash.Tests;

/// <summary>Every fault point of the libraries and the scene that is played around it. A point that is missing here fails a test.</summary>
internal static class FaultTable
{
    public static IReadOnlyList<FaultCase> Cases { get; } =
    [
        new("region.create.before_link", RegionScenes.Creating),
        new("region.create.after_link", RegionScenes.Creating),
        new("region.attach.locked", RegionScenes.Attaching),
        new("region.attach.entry_filled", RegionScenes.Attaching),
        new("region.attach.live", RegionScenes.Attaching),
        new("region.leave.entry_freed", RegionScenes.Leaving),
        new("region.leave.retired", RegionScenes.LeavingLast),
        new("recover.begin", RegionScenes.Recovering),
        new("recover.before_free", RegionScenes.Recovering),

        // The third record: two are there, the third is being made.
        new("ring.claim.done", scene => WriterScenes.Writing(scene, published: 2), Pass: 3),
        new("ring.commit.before_publish", scene => WriterScenes.Writing(scene, published: 2), Pass: 3),
        new("ring.commit.after_publish", scene => WriterScenes.Writing(scene, published: 3), Pass: 3),
        // The second batch of four.
        new("ring.batch.before_publish", scene => WriterScenes.WritingBatches(scene, published: 4), Pass: 2),
        new("waiter.signal.word_changed", scene => WriterScenes.Waking(scene)),

        // The third record is read, released; the first two are released.
        new("ring.read.done", scene => ReaderScenes.Reading(scene, next: 3), Pass: 3),
        new("ring.release.before_store", scene => ReaderScenes.Reading(scene, next: 3), Pass: 3),
        new("ring.release.after_store", scene => ReaderScenes.Reading(scene, next: 4), Pass: 3),
        new("ring.return.zeroed", scene => ReaderScenes.Reading(scene, next: null)),
        new("ring.return.stored", scene => ReaderScenes.Reading(scene, next: null)),
        new("waiter.flag_set", ReaderScenes.FallingAsleep),

        new("listener.open.before_link", ConnectionScenes.OpeningAListener),
        new("listener.accept.mapped", ConnectionScenes.Accepting),
        new("listener.accept.unlinked", ConnectionScenes.Accepting),
        new("listener.accept.replied", ConnectionScenes.Accepting),
        new("region.attach.live", ConnectionScenes.Connecting, Variant: "client"),
        new("connect.slot_opening", ConnectionScenes.Connecting),
        new("connect.region_linked", ConnectionScenes.Connecting),
        new("connect.requested", ConnectionScenes.Connecting),
        new("region.leave.entry_freed", ConnectionScenes.ClientCloses, Variant: "client"),
        new("connection.close.word", ConnectionScenes.ClientCloses, Variant: "client"),
        new("connection.close.word", ConnectionScenes.ServerCloses, Variant: "server"),
        new("listener.slot_idle", ConnectionScenes.ServerFreesASlot),
    ];
}
