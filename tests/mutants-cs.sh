# The mutants of the C# library, for tests/mutate-cs.sh: what is replaced by what, and the test that must notice.
# shellcheck shell=bash
#
# Not here, because no quick test can be sure to meet the moment, or nothing but time is lost; the models find them (docs/models/worlds.cmake): that an eviction
# counts the joins (topic.pml EVICT_ANYBODY), that a copy is checked (NO_CHECK), that what follows a turn is its successor (growth.pml),
# fences between a store and a load (waiter.pml NO_BARRIER, topic.pml SCAN_FIRST), and which of two segments a blind taker takes (growth.pml TAKE_BLIND).

# ---- queue ---------------------------------------------------------------------------------------------------------

file=Queues/QueueSender.cs
expression $file 'Atomic.TryExchange(&slot->State, free, word)' 'Mutants.Store(&slot->State, word)' \
    "[free-slot]" "two senders take a slot: a store instead of the CAS" QueueThreadsTests.EverythingArrivesOnceAndInOrder
statement $file '*(ulong*)&slot->Length = (ulong)flags << 48 | (ulong)type << 32 | length; // plain: published by the CAS' '' \
    "[ready-slot]" "length and type are not written before Ready" QueueTests.TypeLengthAndBytesArrive
expression $file '((Atomic.LoadAcquire(ref slot->State) ^ word) & ~SlotState.Sealed) != 0' 'Atomic.LoadAcquire(ref slot->State) != word' \
    "[seal]" "a commit gives up when its slot was sealed" QueueGrowthTests.AClaimOfTheTurnBeforeIsCommittedThroughTheSeal
expression Queues/QueueSegments.cs '((state ^ word) & ~SlotState.Sealed) != 0' 'false' \
    "slot" "an end of a claim does not look whose the slot is" QueueTests.AnAbandonedClaimLeavesNoTrace

file=Queues/QueueReceiver.cs
expression $file 'Atomic.TryExchange(&slot->State, state, word)' 'Mutants.Store(&slot->State, word)' \
    "[take]" "two receivers take a message: a store instead of the CAS" QueueThreadsTests.EverythingArrivesOnceAndInOrder
expression $file '!Atomic.TryExchange(&slot->State, word, free) && // [free-slot]
            !QueueSegments.TryChange(slot, word, free - word)' '!Atomic.TryExchange(&slot->State, word, word)' \
    "[free-slot]" "a released slot stays taken" QueueTests.AFullQueueSaysSo
expression $file '(word & SlotState.Redelivered) != 0 && Atomic.LoadAcquire(ref _closed) != 0' 'false' \
    "[free-slot]" "a release after the close frees the next one's slot" HalfwayQueueTests.AReleaseAfterTheCloseTakesNothingFromTheNextOne

file=Queues/QueueWalk.cs
expression $file 'phase == SlotState.Ready && !isOrphan && !IsSkipped(skipped, at.Skips, owner)' 'phase == SlotState.Ready && !isOrphan' \
    "order" "behind a sender that writes, its next message is taken" QueueTests.ASenderInTheMiddleOfAMessageHoldsUpNobodyElse short
statement $file 'if (!at.LeftSome)
                    Atomic.TryExchange(&at.Header->Head, at.Position, at.Position + 1);' 'Atomic.TryExchange(&at.Header->Head, Atomic.LoadAcquire(ref at.Header->Head), at.Position + 1);' \
    "order" "the head passes a message that was left behind" QueueTests.ASenderInTheMiddleOfAMessageHoldsUpNobodyElse
expression $file 'SlotState.PhaseOf(state) != SlotState.Ready || (state & SlotState.Redelivered) == 0' 'true' \
    "[orphans]" "what the dead held is not looked for" QueueRecoveryTests.WhatADeadReceiverHeldComesAgainFlaggedAndFirst

file=Queues/QueueKind.cs
statement $file 'Atomic.Add(&header->Orphans, 1); // [orphans] after the slots: who sees the number finds them' '' \
    "[orphans]" "recovery does not say that there are orphans" QueueRecoveryTests.WhatADeadReceiverHeldComesAgainFlaggedAndFirst
expression $file 'SlotState.With(state, 0, SlotState.Ready) | SlotState.Redelivered' 'SlotState.With(state, 0, SlotState.Ready)' \
    "recovery" "a message comes again without its flag" QueueRecoveryTests.WhatADeadReceiverHeldComesAgainFlaggedAndFirst short
expression $file 'phase is not (SlotState.Writing or SlotState.Reading)' 'phase != SlotState.Reading' \
    "recovery" "what a dead sender was writing stays so" QueueRecoveryTests.WhatADeadSenderHadNotFinishedWasNeverSent
expression $file '!Of(region).Geometry.DropsOrphans' 'true' \
    "recovery" "orphans come again although they are to be dropped" QueueRecoveryTests.AQueueThatDropsOrphansDropsThem
expression $file 'Atomic.LoadAcquire(ref region.Entry((int)owner - 1)->State) != ParticipantEntry.Live' 'false' \
    "recovery" "a slot of nobody is left alone" QueueRecoveryTests.ASlotOfNobodyLiveIsRecoveredWithTheNext
statement $file 'pool.Recover(
                (uint)index + 1,
                (ulong holder, in LoanDescriptor descriptor) => Names(entrance, start, holder, descriptor));' '' \
    "sweep" "the loans of who leaves or dies are not swept" QueueLoanTests.WhatALeaverOwesIsSettled short
expression $file 'Atomic.LoadAcquire(ref slot->LoanLap) == SlotState.LapOf(state)' 'true' \
    "sweep" "a slot names the loan of its last message" QueueLoanTests.ASlotClaimedAnewNamesNoLoanOfTheLapBefore

file=Queues/QueueGrowth.cs
statement $file 'Atomic.StoreRelease(ref segment->Next, next);' '' \
    "[seal]" "sealed, and nothing follows" QueueGrowthTests.ItGrowsToItsLimitAndKeepsTheOrder
statement $file 'Unseal((uint)spare);' '' \
    "[seal]" "a segment's next turn begins sealed" QueueGrowthTests.DrainedSegmentsAreUsedAgain short
statement Queues/QueueSender.cs 'Abandon(taken, word);' '' \
    "halfway" "a slot stays taken when the call fails after it" HalfwayQueueTests.WhenPreparingASegmentFailsTheSlotIsGivenBack

file=Queues/QueueSender.Loans.cs
statement $file 'Atomic.StoreRelease(ref slot->LoanLap, SlotState.LapOf(word));' '' \
    "[loan]" "a slot does not say which lap its loan is of" QueueLoanTests.WhatALeaverOwesIsSettled
statement Queues/QueueReceiver.Loans.cs '_pool!.Free(loan); // [loan]' '' \
    "[loan]" "a released message keeps its loan" QueueLoanTests.TheBudgetIsALimitAndReleasingGivesItBack

# ---- pool ----------------------------------------------------------------------------------------------------------

file=Pools/Pool.cs
expression $file 'Atomic.TryExchange(&block->State, state, owned)' 'Mutants.Store(&block->State, owned)' \
    "[loan]" "two senders take a block: a store instead of the CAS" PoolGrowthTests.ManyThreadsNeverHoldMoreThanTheBudget short
expression $file 'Atomic.TryExchange(&Block(@class, index)->State, state, PoolBlock.Freed(state))' 'Mutants.Store(&Block(@class, index)->State, PoolBlock.Freed(state))' \
    "[loan]" "a late free frees the next message's block" PoolTests.ALateFreeOfAnEarlierUseChangesNothing short
expression $file 'state != PoolBlock.StateOf(copy.Generation, 0, PoolBlock.Published)' 'false' \
    "[loan]" "a descriptor is believed" PoolTests.ADescriptorThatIsNotTheBlocksIsRefused
statement $file 'Atomic.StoreRelease(ref block->Holder, holder);' '' \
    "sweep" "a published block does not say who names it" PoolTests.RecoveryFreesWhatTheDeadOwnAndWhatNobodyNames
expression $file 'deadOwner == 0 || PoolBlock.OwnerOf(state) == deadOwner' 'true' \
    "sweep" "recovery frees what the living fill" PoolTests.RecoveryFreesWhatTheDeadOwnAndWhatNobodyNames
statement $file 'if (PoolBlock.PhaseOf(state) == PoolBlock.Owned)
                    DropUnfinishedPages(block, @class, index);' '' \
    "sweep" "what a dead owner claimed stays claimed" PoolTests.RecoveryTakesThePagesThatADeadOwnerClaimedAndDidNotAnnounce
expression Layout/PoolBlock.cs 'StateOf(GenerationOf(state) + 1, 0, Free)' 'StateOf(GenerationOf(state), 0, Free)' \
    "[loan]" "a freed block keeps its generation" PoolTests.ABlockGoesFromFreeToOwnedToPublishedToFreeWithANewGeneration

file=Pools/Pool.Growth.cs
expression $file 'others + pages > _geometry.Budget / PoolHeader.Page' 'false' \
    "budget" "a block grows beyond the budget" PoolTests.WhenTheBudgetIsUsedUpItIsFullAndCounted short
statement $file 'Atomic.StoreRelease(ref block->Present, 0);' '' \
    "[present]" "pages go that are still announced" PoolTests.TrimGivesTheMemoryOfFreeBlocksBackAndLeavesTheOthers
expression $file '!removed' 'false' \
    "[present]" "pages that the system keeps are not announced any more" LockedMemoryTests.TrimmingTakesNothingAway

# ---- topic ---------------------------------------------------------------------------------------------------------

file=Topics/TopicWriter.cs
expression $file 'Atomic.TryExchange(&slot->State, word, mine)' 'Mutants.Store(&slot->State, mine)' \
    "[overwrite]" "two writers take a slot: a store instead of the CAS" TopicTests.ThreadsAgreeOnOneOrder

expression Topics/TopicWriter.Room.cs 'policy <= (uint)TopicPolicy.Evict' 'policy < (uint)TopicPolicy.Evict' \
    "[cursor]" "writers do not wait for evict readers" TopicPolicyTests.AnEvictReaderIsCutOffAtTheDeadlineOnly
expression Topics/TopicWriter.Room.cs 'policy == (uint)TopicPolicy.Reliable' 'false' \
    "eviction" "evicts although a reliable reader holds up, too" TopicPolicyTests.NobodyIsEvictedForAReliableReadersSake short
expression Topics/TopicWriter.Room.cs 'entered && _claimed == NoClaim' 'false' \
    "halfway" "the loan of a claim that failed is the next message's" HalfwayTopicTests.WhatAFailedClaimHadTakenIsNotSentInsteadOfTheNextMessage

file=Topics/TopicWriter.Loans.cs
expression $file '(long)(position - _minimum) < 0 && position != tail' 'position != tail' \
    "reclaim" "a loan is taken back that a reader needs" TopicLoanTests.AWriterWaitsForALoanThatAReaderHolds
expression $file 'SlotState.With(word, SlotState.OwnerOf(word), SlotState.Gap) | SlotState.Reclaimed' 'SlotState.With(word, SlotState.OwnerOf(word), SlotState.Gap)' \
    "reclaim" "what was taken back looks abandoned" TopicLoanTests.WhatEveryReaderHasPassedGivesItsLoanUpWhenThePoolIsUsedUp short
statement $file 'if (slot->Flags == SlotHeader.LoanFlag)
            Pool?.Free(descriptor);' '' \
    "[loan]" "an overwritten message keeps its loan" TopicLoanTests.ALoanLastsAsLongAsItsSlotAndNoLonger

statement Topics/TopicReader.Walk.cs 'AddLost(position, position + 1);' '' \
    "reclaim" "a message that was taken back is not counted" TopicLoanTests.WhatEveryReaderHasPassedGivesItsLoanUpWhenThePoolIsUsedUp
statement Topics/TopicReader.Walk.cs 'AddLost(_position, to);' '' \
    "lossy" "what was overrun is not counted" TopicPolicyTests.ALossyReaderCountsWhatItLost
statement Topics/TopicReader.Walk.cs 'from = Math.Max(from, _joined);' '' \
    "lossy" "what was gone before the reader came is counted" TopicTests.WhatIsOverwrittenBeforeALateReaderCameToItIsNotLost

file=Topics/TopicReader.cs
statement $file 'status = IpcStatus.Evicted;' 'status = IpcStatus.Ok;' \
    "[overwrite]" "a release does not say that what was read may be torn" TopicPolicyTests.WhatAnEvictedReaderWasReadingIsNotTaken

file=Topics/TopicKind.cs
statement $file 'Atomic.TryOr(&header->Active[index >> 6], 1UL << (index & 63));' '' \
    "[join]" "a reader joins without its bit" TopicPolicyTests.AReliableReaderHoldsTheWriterUpAndIsNamed
expression $file 'SlotState.Of(SlotState.LapOf(word), 0, SlotState.Gap)' 'SlotState.Of(SlotState.LapOf(word) - 1, 0, SlotState.Gap)' \
    "recovery" "a dead writer's slot is what it was a lap ago" HostileTopicTests.ADeadWritersClaimBecomesAGap
statement $file 'Atomic.StoreRelease(ref seat->State, TopicReaderEntry.Vacated(Atomic.LoadAcquire(ref seat->State)));' '' \
    "recovery" "a reader's entry stays active" TopicTests.TheTableIsAsNewAfterTenThousandJoins

# ---- ring ----------------------------------------------------------------------------------------------------------

file=Rings/RingReader.Records.cs
statement $file 'for (ulong line = _free; line < _released; line += RecordHeader.Line)
            *HeaderAt(line) = 0;
        FaultPoints.Pass(FaultPoints.RingReturnZeroed);
        _free = _released;
        _limit = _free + _capacity;
        Atomic.StoreRelease(ref Header->FreePosition, _free); // [reclaim]' \
    'ulong first = _free; _free = _released; _limit = _free + _capacity; Atomic.StoreRelease(ref Header->FreePosition, _free);
        for (ulong line = first; line < _released; line += RecordHeader.Line) { HeaderAt(line)[0] = 0; }' \
    "[reclaim]" "the free position is stored before the zeros" RingSpaceTests.AWriterThatWaitsForSpaceFindsZerosInAllOfIt short
statement $file '*HeaderAt(line) = 0;' '' "[reclaim]" "space is returned without zeros" RingBytesTests.SpaceIsReturnedByTheEighthOfTheRingZeroed short
expression $file 'position < _redeliverUntil' 'false' \
    "recovery" "behind padding a record comes again without its flag" RingSpaceTests.WhatComesAgainIsFlaggedBehindPaddingAndOnLoan short

statement Rings/RingWriter.Batches.cs '// the first line'"'"'s header was never written
        ZeroLines(_claimStart + RecordHeader.Line, _claimStart + _claimSize);' '' \
    "invariant Z" "a claim that is abandoned leaves bytes" RingBytesTests.AClaimThatIsNeverCommittedLeavesNoTrace
statement Rings/RingWriter.Batches.cs 'ZeroLines(start + size, start + _claimSize);' '' \
    "invariant Z" "a commit of less leaves bytes" RingBytesTests.ACommitOfLessGivesTheRestBack
statement Rings/RingWriter.Room.cs 'PublishBatch(); // a reader cannot release what it cannot see' '' \
    "[wanted]" "a writer waits behind its own batch" RingBytesTests.AFullRingPublishesTheBatch
statement Rings/RingWriter.Room.cs '_limit = free + _capacity - RecordHeader.Line;' '_limit = free + _capacity;' \
    "invariant Z" "no line is kept free behind the last record" RingBytesTests.TheLineBehindTheLastRecordStaysFree
statement Rings/RingWriter.Room.cs 'Atomic.StoreRelease(ref Header->Space.Wanted, 1); // [wanted]' '' \
    "[wanted]" "a writer does not say that it wants space" RingBytesTests.AWantedSpaceIsReturnedAtTheNextRelease

# ---- waiting, locks ------------------------------------------------------------------------------------------------

expression Waiting/Waiter.cs 'NeedsSignal(waiter) && TryTakeSleeper(waiter)' 'false' \
    "[signal]" "who publishes wakes nobody" WaitTests.AWriterWaitsForRoomAndAReaderThatReleasesGivesIt
statement Sync/MutexKind.cs 'Atomic.TryExchange(&HeaderOf(region)->Owner, owner, MutexHeader.Abandoned); // [owner]' \
    'Atomic.TryExchange(&HeaderOf(region)->Owner, owner, 0);' \
    "recovery" "the next owner is not told of the death" SharedMutexTests.ClosingWithItAbandonsItAndTheNextOwnerIsToldOnce
expression Sync/SharedMutex.cs 'Atomic.TryExchange(&_header->Owner, owner, _sync.Me)' 'Mutants.Store(&_header->Owner, _sync.Me)' \
    "[owner]" "two take a mutex: a store instead of the CAS" SharedMutexTests.ManyThreadsOfManyObjectsAreInOneAtATime short
expression Sync/SharedSemaphore.cs 'Atomic.TryExchange(&_table[permit], was, to)' 'Mutants.Store(&_table[permit], to)' \
    "[owner]" "two take a permit: a store instead of the CAS" SharedSemaphoreTests.ManyThreadsNeverPassBeyondTheNumber
expression Sync/SharedEvent.cs 'Atomic.TryExchange(&_header->Set, 1, 0)' 'Mutants.Store(&_header->Set, 0)' \
    "event" "two pass by one set: a store instead of the CAS" SharedEventTests.OfManyWaitersASetLetsExactlyOnePass

# ---- listener ------------------------------------------------------------------------------------------------------

statement Connections/Listener.cs 'continue; // it was disposed meanwhile' '' \
    "[sleep]" "sleeps after a look that found a connection gone" ConnectionTests.AConnectionThatIsDisposedWhenItsEndIsFoundHidesNoOther
statement Connections/Listener.cs 'Waiter.Signal(&_header->Doorbell); // a leader that sleeps has not looked at this one' '' \
    "[return]" "what comes back wakes nobody" ConnectionTests.ALentConnectionIsNotWatched
statement Rings/RingReader.Records.cs 'Waiter.Arm(&Header->Data);' '' \
    "[sleep]" "the leader sleeps without arming" ConnectionTests.WhatIsSentComesBack
