using System;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Places where a test can stop this process dead. The same names exist in the C library.</summary>
/// <remarks><c>IPC_FAULT=NAME[:N]</c> at process start makes the N-th pass of NAME (default: the first) kill the
/// process with SIGKILL; with <c>IPC_FAULT_ACTION=stop</c> it stops with SIGSTOP instead. Without the variable a pass
/// is no instruction at all once the method is optimised: <see cref="Active"/> is a constant then.</remarks>
internal static class FaultPoints
{
    public const string RegionCreateBeforeLink = "region.create.before_link";
    public const string RegionCreateAfterLink = "region.create.after_link";
    public const string RegionAttachLocked = "region.attach.locked";
    public const string RegionAttachEntryFilled = "region.attach.entry_filled";
    public const string RegionAttachLive = "region.attach.live";
    public const string RegionLeaveEntryFreed = "region.leave.entry_freed";
    public const string RegionLeaveGivenUp = "region.leave.given_up";
    public const string RegionLeaveRetired = "region.leave.retired";
    public const string RegionLeaveUnlinked = "region.leave.unlinked";
    public const string RecoverBegin = "recover.begin";
    public const string RecoverBeforeFree = "recover.before_free";
    public const string RingClaimDone = "ring.claim.done";
    public const string RingCommitBeforePublish = "ring.commit.before_publish";
    public const string RingCommitAfterPublish = "ring.commit.after_publish";
    public const string RingBatchBeforePublish = "ring.batch.before_publish";
    public const string RingReadDone = "ring.read.done";
    public const string RingReleaseBeforeStore = "ring.release.before_store";
    public const string RingReleaseAfterStore = "ring.release.after_store";
    public const string RingReturnZeroed = "ring.return.zeroed";
    public const string RingReturnStored = "ring.return.stored";
    public const string RingGrowPresent = "ring.grow.present";
    public const string WaiterFlagSet = "waiter.flag_set";
    public const string WaiterAsked = "waiter.asked";
    public const string WaiterSignalWordChanged = "waiter.signal.word_changed";
    public const string ListenerOpenBeforeLink = "listener.open.before_link";
    public const string ListenerFollowSaid = "listener.follow.said";
    public const string ListenerFollowLinked = "listener.follow.linked";
    public const string ListenerFollowRenamed = "listener.follow.renamed";
    public const string ListenerFollowLooked = "listener.follow.looked";
    public const string ListenerAcceptMapped = "listener.accept.mapped";
    public const string ListenerAcceptUnlinked = "listener.accept.unlinked";
    public const string ListenerAcceptReplied = "listener.accept.replied";
    public const string ListenerWithdrawUnlinked = "listener.withdraw.unlinked";
    public const string ConnectSlotOpening = "connect.slot_opening";
    public const string ConnectRegionLinked = "connect.region_linked";
    public const string ConnectRequested = "connect.requested";
    public const string ConnectionCloseWord = "connection.close.word";
    public const string ListenerSlotIdle = "listener.slot_idle";

    public const string RingLoanRecorded = "ring.loan.recorded";
    public const string RingReleaseBeforeLoans = "ring.release.before_loans";

    public const string QueueClaimWriting = "queue.claim.writing";
    public const string QueueClaimTail = "queue.claim.tail";
    public const string QueueCommitBeforeReady = "queue.commit.before_ready";
    public const string QueueCommitAfterReady = "queue.commit.after_ready";
    public const string QueueAbandonDone = "queue.abandon.done";
    public const string QueueReceiveReading = "queue.receive.reading";
    public const string QueueReceiveHead = "queue.receive.head";
    public const string QueueReleaseBeforeFree = "queue.release.before_free";
    public const string QueueReleaseAfterFree = "queue.release.after_free";
    public const string QueueReleaseLoanFreed = "queue.release.loan_freed";
    public const string QueueGrowPopulated = "queue.grow.populated";
    public const string QueueGrowLinked = "queue.grow.linked";
    public const string QueueGrowSealed = "queue.grow.sealed";
    public const string QueueGrowMoved = "queue.grow.moved";
    public const string QueueRecoverSlot = "queue.recover.slot";
    public const string QueueRecoverBeforeOrphans = "queue.recover.before_orphans";

    public const string PoolTablePresent = "pool.table.present";
    public const string PoolTakeOwned = "pool.take.owned";
    public const string PoolGrowClaimed = "pool.grow.claimed";
    public const string PoolGrowPresent = "pool.grow.present";
    public const string PoolPublishBefore = "pool.publish.before";
    public const string PoolPublishAfter = "pool.publish.after";
    public const string PoolFreeBefore = "pool.free.before";
    public const string PoolRecoverBlock = "pool.recover.block";

    public const string TopicClaimWriting = "topic.claim.writing";
    public const string TopicClaimTail = "topic.claim.tail";
    public const string TopicCommitBeforeReady = "topic.commit.before_ready";
    public const string TopicCommitAfterReady = "topic.commit.after_ready";
    public const string TopicAbandonDone = "topic.abandon.done";
    public const string TopicJoinEntry = "topic.join.entry";
    public const string TopicJoinCursor = "topic.join.cursor";
    public const string TopicReadDone = "topic.read.done";
    public const string TopicReleaseBeforeCursor = "topic.release.before_cursor";
    public const string TopicReleaseAfterCursor = "topic.release.after_cursor";
    public const string TopicEvictDone = "topic.evict.done";
    public const string TopicRecoverSlot = "topic.recover.slot";
    public const string TopicRecoverReader = "topic.recover.reader";
    public const string TopicReclaimGap = "topic.reclaim.gap";
    public const string MutexAcquireOwned = "mutex.acquire.owned";
    public const string MutexReleaseBefore = "mutex.release.before";
    public const string MutexReleaseAfter = "mutex.release.after";
    public const string SemaphoreAcquireTaken = "semaphore.acquire.taken";
    public const string SemaphoreReleaseAfter = "semaphore.release.after";
    public const string EventSetAfter = "event.set.after";
    public const string EventWaitConsumed = "event.wait.consumed";
    public const string SemaphoreRecoverCounted = "semaphore.recover.counted";
    public const string SyncRecoverDone = "sync.recover.done";

    public const string NamedLoginWritten = "named.login.written";
    public const string NamedAcceptAttached = "named.accept.attached";
    public const string NamedAcceptWritten = "named.accept.written";
    public const string NamedAcknowledgeStored = "named.acknowledge.stored";
    public const string NamedResetUnlinked = "named.reset.unlinked";

    public static readonly bool Active = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("IPC_FAULT"));

    private static readonly string s_name = NameOf(Environment.GetEnvironmentVariable("IPC_FAULT"), out s_countdown);
    private static readonly bool s_stop = Environment.GetEnvironmentVariable("IPC_FAULT_ACTION") == "stop";
    private static int s_countdown;

    /// <summary>Called at each named place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Pass(string name)
    {
        if (Active)
            PassActive(name);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void PassActive(string name)
    {
        if (name == s_name && Atomic.Decrement(ref s_countdown) == 0)
            Os.Current.EndSelf(s_stop);
    }

    private static string NameOf(string? setting, out int countdown)
    {
        countdown = 1;
        if (string.IsNullOrEmpty(setting))
            return "";

        if (setting!.IndexOf(':') < 0)
            return setting;

        string[] parts = setting.Split(':');
        if (int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int given) && given > 0)
            countdown = given;
        return parts[0];
    }
}
