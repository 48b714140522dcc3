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

        new("region.leave.given_up", SyncScenes.LeavingWithoutTheLock),

        new("listener.open.before_link", ConnectionScenes.OpeningAListener),
        new("listener.accept.mapped", ConnectionScenes.Accepting),
        new("listener.accept.mapped", ConnectionScenes.AcceptingADeadClient, Variant: "dead"),
        new("listener.accept.unlinked", ConnectionScenes.Accepting),
        new("listener.accept.unlinked", ConnectionScenes.AcceptingADeadClient, Variant: "dead"),
        new("listener.withdraw.unlinked", ConnectionScenes.Withdrawing),
        new("listener.accept.replied", ConnectionScenes.Accepting),
        new("region.attach.live", ConnectionScenes.Connecting, Variant: "client"),
        new("connect.slot_opening", ConnectionScenes.Connecting),
        new("connect.slot_opening", scene => ConnectionScenes.TheServerLeaves(scene, killsIt: false), Variant: "left alone"),
        new("connect.slot_opening", scene => ConnectionScenes.TheServerLeaves(scene, killsIt: true), Variant: "left alone and killed"),
        new("connect.requested", scene => ConnectionScenes.TheServerLeaves(scene, killsIt: false), Variant: "left alone"),
        new("connect.requested", scene => ConnectionScenes.TheServerLeaves(scene, killsIt: true), Variant: "left alone and killed"),
        new("connect.region_linked", ConnectionScenes.Connecting),
        new("connect.requested", ConnectionScenes.Connecting),
        new("region.leave.entry_freed", ConnectionScenes.ClientCloses, Variant: "client"),
        new("connection.close.word", ConnectionScenes.ClientCloses, Variant: "client"),
        new("connection.close.word", ConnectionScenes.ServerCloses, Variant: "server"),
        new("listener.slot_idle", ConnectionScenes.ServerFreesASlot),

        // The third message: two are committed, the third is being made.
        new("queue.claim.writing", scene => QueueScenes.Sending(scene, published: 2), Pass: 3),
        new("queue.claim.tail", scene => QueueScenes.Sending(scene, published: 2), Pass: 3),
        new("queue.commit.before_ready", scene => QueueScenes.Sending(scene, published: 2), Pass: 3),
        new("queue.commit.after_ready", scene => QueueScenes.Sending(scene, published: 3), Pass: 3),
        new("queue.abandon.done", QueueScenes.Abandoning),
        // The third message is received; two are released.
        new("queue.receive.reading", scene => QueueScenes.Receiving(scene, done: 2), Pass: 3),
        new("queue.receive.head", scene => QueueScenes.Receiving(scene, done: 2), Pass: 3),
        new("queue.release.before_free", scene => QueueScenes.Receiving(scene, done: 2), Pass: 3),
        new("queue.release.after_free", scene => QueueScenes.Receiving(scene, done: 3), Pass: 3),
        new("queue.release.loan_freed", scene => QueueScenes.Receiving(scene, done: 3), Pass: 3),
        new("queue.release.after_free", scene => QueueScenes.Receiving(scene, done: 3, max: 5000), Pass: 3, Variant: "loan"),
        new("queue.release.loan_freed", scene => QueueScenes.Receiving(scene, done: 3, max: 5000), Pass: 3, Variant: "loan"),
        new("queue.grow.populated", QueueScenes.Growing),
        new("queue.grow.linked", QueueScenes.Growing),
        new("queue.grow.sealed", QueueScenes.Growing),
        new("queue.grow.moved", QueueScenes.Growing),
        new("queue.recover.slot", QueueScenes.Recovering),
        new("queue.recover.slot", QueueScenes.Recovering, Pass: 2, Variant: "second"),
        new("queue.recover.before_orphans", QueueScenes.Recovering),

        new("topic.claim.writing", scene => TopicScenes.Writing(scene, published: 2), Pass: 3),
        new("topic.claim.tail", scene => TopicScenes.Writing(scene, published: 2), Pass: 3),
        new("topic.commit.before_ready", scene => TopicScenes.Writing(scene, published: 2), Pass: 3),
        new("topic.commit.after_ready", scene => TopicScenes.Writing(scene, published: 3), Pass: 3),
        new("topic.abandon.done", TopicScenes.Abandoning),
        new("topic.evict.done", TopicScenes.Evicting),
        new("topic.reclaim.gap", TopicScenes.Reclaiming),
        new("topic.join.entry", TopicScenes.Joining),
        new("topic.join.cursor", TopicScenes.Joining),
        new("topic.read.done", TopicScenes.Reading, Pass: 3),
        new("topic.release.before_cursor", TopicScenes.Reading, Pass: 3),
        new("topic.release.after_cursor", TopicScenes.Reading, Pass: 3),
        new("topic.recover.slot", TopicScenes.Recovering),
        new("topic.recover.slot", TopicScenes.Recovering, Pass: 2, Variant: "second"),
        new("topic.recover.reader", TopicScenes.Recovering),

        // The first message is short; the third loan is that of the fourth message.
        new("pool.take.owned", scene => QueueScenes.Sending(scene, published: 3, max: 5000), Pass: 3),
        new("pool.grow.claimed", scene => QueueScenes.Sending(scene, published: 1, max: 5000)),
        new("pool.grow.present", scene => QueueScenes.Sending(scene, published: 1, max: 5000)),
        new("pool.publish.before", scene => QueueScenes.Sending(scene, published: 3, max: 5000), Pass: 3),
        new("pool.publish.after", scene => QueueScenes.Sending(scene, published: 3, max: 5000), Pass: 3),
        new("pool.free.before", scene => QueueScenes.Receiving(scene, done: 4, max: 5000), Pass: 3),
        new("pool.recover.block", QueueScenes.Recovering),
        new("pool.take.owned", scene => TopicScenes.Writing(scene, published: 3, max: 5000), Pass: 3, Variant: "topic"),
        new("pool.publish.before", scene => TopicScenes.Writing(scene, published: 3, max: 5000), Pass: 3, Variant: "topic"),
        new("pool.publish.after", scene => TopicScenes.Writing(scene, published: 3, max: 5000), Pass: 3, Variant: "topic"),
        new("pool.recover.block", TopicScenes.Recovering, Variant: "topic"),
        new("pool.take.owned", LoanScenes.Writing, Pass: 3, Variant: "ring"),
        new("pool.grow.claimed", LoanScenes.Writing, Variant: "ring"),
        new("pool.grow.present", LoanScenes.Writing, Variant: "ring"),
        new("pool.publish.before", LoanScenes.Writing, Pass: 3, Variant: "ring"),
        new("pool.publish.after", LoanScenes.Writing, Pass: 3, Variant: "ring"),
        new("ring.loan.recorded", LoanScenes.Writing, Pass: 3),
        new("ring.release.before_loans", LoanScenes.Reading, Pass: 2),
        new("pool.free.before", LoanScenes.Reading, Pass: 2, Variant: "ring"),

        new("mutex.acquire.owned", SyncScenes.Owning),
        new("mutex.release.before", SyncScenes.StillOwning),
        new("mutex.release.after", SyncScenes.Disowning),
        new("semaphore.acquire.taken", SyncScenes.Holding),
        new("semaphore.release.after", SyncScenes.Returning),
        new("event.set.after", SyncScenes.Setting),
        new("event.wait.consumed", SyncScenes.Consuming),
        new("sync.recover.done", SyncScenes.Recovering),
        new("semaphore.recover.counted", SyncScenes.RecoveringPermit),
    ];
}
