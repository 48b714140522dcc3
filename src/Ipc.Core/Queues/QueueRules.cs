using System;

namespace Ipc;

/// <summary>A queue region's part in joining, leaving and recovery; docs/wire-format.md section 9. One object per
/// opened queue.</summary>
/// <remarks>
/// Recovery undoes what the dead one was in the middle of, slot by slot: what it was writing was never sent, what it
/// was reading is given to somebody else, with the flag that says so. Every change is a CAS from the word that was
/// seen, so a recovery that was itself killed is simply done again, and one that finds a slot of somebody who is not
/// dead after all could not harm what has moved on. A slot whose owner's entry is free is treated alike: a thread that
/// was still inside a call while its object was closed may have left it.
/// </remarks>
internal sealed unsafe class QueueRules : RegionRules
{
    private readonly QueueOptions _options;
    private readonly ulong _budget;
    private readonly uint _participants;

    public QueueRules(QueueOptions options)
    {
        _options = options;
        _budget = PoolGeometry.CheckRequested(options.LoanBudget);
        if (options.Participants is < 1 or > RegionGeometry.MaxParticipants)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A queue for {options.Participants} participants was asked for; 1 to " +
                $"{RegionGeometry.MaxParticipants} are possible.");
        _participants = (uint)options.Participants;
        // throws what nobody may ask for, also when the queue exists
        Geometry = QueueGeometry.For(options, RegionGeometry.TableEnd(options.Participants));
    }

    /// <summary>That of the region, once it is created or checked.</summary>
    public QueueGeometry Geometry { get; private set; }

    /// <summary>Null: messages longer than a block are refused.</summary>
    public Pool? Pool { get; private set; }

    public override RegionKind Kind => RegionKind.OfQueue;

    public override ParticipantRole Role => ParticipantRole.Writer | ParticipantRole.Reader;

    public override Lifetime AskedLifetime => _options.Lifetime;

    public override Lifetime DefaultLifetime => Lifetime.UntilEmpty;

    public override RegionRules ForAnother() => new QueueRules(_options);

    public override RegionGeometry NewGeometry()
    {
        ulong bodyOffset = RegionGeometry.TableEnd((int)_participants); // a multiple of 128
        Geometry = QueueGeometry.For(_options, bodyOffset);
        ulong end = Geometry.SegmentsEnd + Pool.SizeOf(_budget);
        ulong reserved = _options.Preallocate ? Geometry.SegmentsEnd : Geometry.SegmentsOffset + Geometry.SegmentStride;
        return RegionGeometry.ForSparse((int)_participants, bodyOffset, end - bodyOffset, NewLifetime, reserved,
            new FileRange(Geometry.SegmentsEnd, Pool.ReservedOf(_budget)));
    }

    public override void WriteBody(Region region)
    {
        Geometry.Write(region.Base, _options.Preallocate ? Geometry.SegmentLimit : 1);
        if (_budget != 0)
            Pool.WriteHeader(region.Base + Geometry.PoolOffset, _budget);
        LocatePool(region);
    }

    public override void CheckBody(Region region)
    {
        Geometry = QueueGeometry.Check(region.View, region.Geometry.BodyOffset, BodyEnd(region), region.Path);
        LocatePool(region);
    }

    public override void Leave(Region region, int index) => CleanUp(region, index);

    public override void Recover(Region region, int index) => CleanUp(region, index);

    public override void SignalAll(Region region)
    {
        QueueHeader* header = (QueueHeader*)region.Body;
        Waiter.SignalAlways(&header->Data);
        Waiter.SignalAlways(&header->Space);
    }

    /// <summary>Ready is the only state of a message that was committed and not released: what the dead were writing
    /// was never sent, what they were reading is Ready again.</summary>
    public override bool HoldsMessages(Region region)
    {
        uint segments = Math.Min(Atomic.LoadAcquire(ref ((QueueHeader*)region.Body)->Segments), Geometry.SegmentLimit);
        for (uint segment = 0; segment < segments; segment++)
        {
            for (uint slot = 0; slot < Geometry.SlotCount; slot++)
            {
                if (SlotState.PhaseOf(
                    Atomic.LoadAcquire(ref Geometry.Slot(region.Base, segment, slot)->State)) == SlotState.Ready)
                {
                    return true;
                }
            }
        }

        return false;
    }

    private static ulong BodyEnd(Region region) => region.Geometry.BodyOffset + region.Geometry.BodySize;

    private void LocatePool(Region region) =>
        Pool = Geometry.PoolOffset == 0
            ? null
            : Pool.Locate(region.View, Geometry.PoolOffset, region.Path, region, BodyEnd(region));

    /// <summary>Under the region lock.</summary>
    private void CleanUp(Region region, int index)
    {
        QueueHeader* header = (QueueHeader*)region.Body;
        uint segments = Math.Min(Atomic.LoadAcquire(ref header->Segments), Geometry.SegmentLimit);
        for (uint segment = 0; segment < segments; segment++)
        {
            for (uint slot = 0; slot < Geometry.SlotCount; slot++)
            {
                if (CleanUp(region, header, Geometry.Slot(region.Base, segment, slot), (uint)index + 1))
                    FaultPoints.Pass(FaultPoints.QueueRecoverSlot);
            }
        }

        if (Pool is not null)
        {
            byte* start = region.Base;
            Pool.Recover(
                (uint)index + 1, (ulong holder, in LoanDescriptor descriptor) => Names(start, holder, descriptor));
        }

        FaultPoints.Pass(FaultPoints.QueueRecoverBeforeOrphans);
        Atomic.Add(&header->Orphans, 1); // [orphans] after the slots: who sees the number finds them
    }

    private bool CleanUp(Region region, QueueHeader* header, SlotHeader* slot, uint gone)
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

            bool again = phase == SlotState.Reading && !Geometry.DropsOrphans;
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

    private static bool IsGone(Region region, uint owner, uint gone) =>
        owner == gone || owner == 0 || owner > (uint)region.Geometry.ParticipantCapacity ||
        // [live] nobody joins while we hold the lock
        Atomic.LoadAcquire(ref region.Entry((int)owner - 1)->State) != ParticipantEntry.Live;

    /// <summary>Whether a slot names this block.</summary>
    private bool Names(byte* regionBase, ulong holder, in LoanDescriptor descriptor)
    {
        SlotHeader* slot = Geometry.SlotAt(regionBase, holder);
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
}
