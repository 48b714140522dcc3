using System;

namespace Ipc;

/// <summary>A queue region's part in entering, leaving and recovery; docs/wire-format.md section 9.</summary>
/// <remarks>
/// Recovery undoes what the dead one was in the middle of, slot by slot: what it was writing was never sent, what it
/// was reading is given to somebody else, with the flag that says so. Every change is a CAS from the word that was
/// seen, so a recovery that was itself killed is simply done again, and one that finds a slot of somebody who is not
/// dead after all could not harm what has moved on. A slot whose owner's entry is free is treated alike: a thread that
/// was still inside a call while its object was closed may have left it.
/// </remarks>
internal sealed unsafe class QueueKind : RegionKind
{
    public static readonly QueueKind Instance = new();

    public override KindNumber Number => KindNumber.OfQueue;

    public override Lifetime DefaultLifetime => Lifetime.UntilEmpty;

    public override void CheckBody(Region region)
    {
        QueueEntrance entrance = Of(region);
        entrance.Geometry = QueueGeometry.Check(
            region.View, region.Geometry.BodyOffset, QueueEntrance.BodyEnd(region), region.Path);
        entrance.LocatePool(region);
    }

    public override void CleanUp(Region region, int index, bool died)
    {
        QueueEntrance entrance = Of(region);
        QueueHeader* header = (QueueHeader*)region.Body;
        uint segments = SegmentsOf(region);
        for (uint segment = 0; segment < segments; segment++)
        {
            for (uint slot = 0; slot < entrance.Geometry.SlotCount; slot++)
            {
                SlotHeader* at = entrance.Geometry.Slot(region.Base, segment, slot);
                if (CleanUp(region, header, at, (uint)index + 1))
                    FaultPoints.Pass(FaultPoints.QueueRecoverSlot);
            }
        }

        if (entrance.Pool is { } pool)
        {
            byte* start = region.Base;
            pool.Recover(
                (uint)index + 1,
                (ulong holder, in LoanDescriptor descriptor) => Names(entrance, start, holder, descriptor));
        }

        FaultPoints.Pass(FaultPoints.QueueRecoverBeforeOrphans);
        Atomic.Add(&header->Orphans, 1); // [orphans] after the slots: who sees the number finds them
    }

    private static bool CleanUp(Region region, QueueHeader* header, SlotHeader* slot, uint gone)
    {
        for (; ; )
        {
            ulong state = Atomic.LoadAcquire(ref slot->State);
            uint phase = SlotState.PhaseOf(state);
            if (phase is not (SlotState.Writing or SlotState.Reading) ||
                !IsGone(region, SlotState.OwnerOf(state), gone))
            {
                return false;
            }

            bool again = phase == SlotState.Reading && !Of(region).Geometry.DropsOrphans;
            ulong next = again
                ? SlotState.With(state, 0, SlotState.Ready) | SlotState.Redelivered
                : SlotState.NextFree(state);
            if (!Atomic.TryExchange(&slot->State, state, next)) // [free-slot] [ready-slot]
                continue; // it was sealed meanwhile, or its owner is alive and quicker

            if (again)
                Atomic.StoreRelease(ref header->Redelivered, header->Redelivered + 1);
            else if (phase == SlotState.Reading)
                Atomic.StoreRelease(ref header->Dropped, header->Dropped + 1);
            return true;
        }
    }

    public override void Wake(Region region)
    {
        QueueHeader* header = (QueueHeader*)region.Body;
        Waiter.SignalAlways(&header->Data);
        Waiter.SignalAlways(&header->Space);
    }

    /// <summary>Ready is the only state of a message that was committed and not released: what the dead were writing
    /// was never sent, what they were reading is Ready again.</summary>
    public override bool HoldsMessages(Region region)
    {
        QueueGeometry geometry = Of(region).Geometry;
        uint segments = SegmentsOf(region);
        for (uint segment = 0; segment < segments; segment++)
        {
            for (uint slot = 0; slot < geometry.SlotCount; slot++)
            {
                ulong state = Atomic.LoadAcquire(ref geometry.Slot(region.Base, segment, slot)->State);
                if (SlotState.PhaseOf(state) == SlotState.Ready)
                    return true;
            }
        }

        return false;
    }

    private static bool IsGone(Region region, uint owner, uint gone) =>
        owner == gone || owner == 0 || owner > (uint)region.Geometry.ParticipantCapacity ||
        // [live] nobody joins while we hold the lock
        Atomic.LoadAcquire(ref region.Entry((int)owner - 1)->State) != ParticipantEntry.Live;

    /// <summary>Whether a slot names this block.</summary>
    private static bool Names(
        QueueEntrance entrance, byte* regionBase, ulong holder, in LoanDescriptor descriptor)
    {
        SlotHeader* slot = entrance.Geometry.SlotAt(regionBase, holder);
        if (slot == null)
            return false;
        ulong state = Atomic.LoadAcquire(ref slot->State);
        LoanDescriptor* named = (LoanDescriptor*)((byte*)slot + SlotHeader.ByteSize);
        return SlotState.PhaseOf(state) is SlotState.Writing or SlotState.Ready or SlotState.Reading &&
            Atomic.LoadAcquire(ref slot->LoanLap) == SlotState.LapOf(state) &&
            (slot->Flags & SlotHeader.LoanFlag) != 0 &&
            named->Class == descriptor.Class && named->Index == descriptor.Index &&
            named->Generation == descriptor.Generation;
    }

    private static uint SegmentsOf(Region region) => Math.Min(
        Atomic.LoadAcquire(ref ((QueueHeader*)region.Body)->Segments), Of(region).Geometry.SegmentLimit);

    private static QueueEntrance Of(Region region) => (QueueEntrance)region.Entrance;
}
