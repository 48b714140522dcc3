using System;

namespace Ipc;

/// <summary>A topic's part in entering, leaving and recovery; docs/wire-format.md section 10.</summary>
/// <remarks>
/// Readers take the first places of the participant table, as many as the topic allows, writers the others: neither can
/// keep the other out. What a dead writer was writing becomes a gap that readers pass over; what a dead reader had not
/// released holds nobody up any more.
/// </remarks>
internal sealed unsafe class TopicKind : RegionKind
{
    public static readonly TopicKind Instance = new();

    private static readonly TimeSpan s_lockTimeout = TimeSpan.FromSeconds(5);

    public override KindNumber Number => KindNumber.OfTopic;

    public override void CheckBody(Region region)
    {
        TopicEntrance entrance = Of(region);
        entrance.Geometry = TopicGeometry.Check(region.Base, region.Geometry, region.Path);
        entrance.LocatePool(region);
    }

    public override void Admit(Region region, ParticipantRole role)
    {
        TopicEntrance entrance = Of(region);
        entrance.CheckPolicy(region);
        int there = Count(region, role, out uint pid);
        if (there > 0 && role == ParticipantRole.Writer && entrance.Geometry.IsSingleWriter)
        {
            Throw.Status(
                IpcStatus.InUse,
                $"{region.Path} takes a single writer and has one already, process {pid}: end that process, or " +
                "create it for more.");
        }

        int room = role == ParticipantRole.Reader ? (int)entrance.Geometry.MaxReaders : entrance.Geometry.MaxWriters;
        if (there >= room)
        {
            Throw.Status(
                IpcStatus.TableFull,
                $"{region.Path} has {there} {(role == ParticipantRole.Reader ? "readers" : "writers")} already, and " +
                $"room for {room}: close one, or create it with more.");
        }
    }

    public override (int First, int End) Entries(Region region, ParticipantRole role)
    {
        int readers = (int)Of(region).Geometry.MaxReaders;
        return role == ParticipantRole.Reader ? (0, readers) : (readers, region.Geometry.ParticipantCapacity);
    }

    public override bool Names(Region region, int index) =>
        ReaderBits.Next(HeaderOf(region)->Active, index, index + 1) == index ||
        TopicReaderEntry.PhaseOf(Atomic.LoadAcquire(ref Seat(region, index)->State)) != TopicReaderEntry.None;

    public override void Enter(Region region, int index, ParticipantRole role)
    {
        if (role == ParticipantRole.Reader)
            TakeSeat(region, index);
    }

    public override void CleanUp(Region region, int index, bool died)
    {
        if (region.Entry(index)->Role != (uint)ParticipantRole.Reader)
            GiveUpSlots(region, (uint)index + 1); // a reader has none

        TopicReaderEntry* seat = Seat(region, index);
        Atomic.StoreRelease(ref seat->State, TopicReaderEntry.Vacated(Atomic.LoadAcquire(ref seat->State)));
        Atomic.TryAnd(&HeaderOf(region)->Active[index >> 6], ~(1UL << (index & 63)));
        FaultPoints.Pass(FaultPoints.TopicRecoverReader);
        byte* regionBase = region.Base;
        TopicEntrance entrance = Of(region);
        entrance.Pool?.Recover(
            (uint)index + 1,
            (ulong holder, in LoanDescriptor descriptor) => Names(entrance.Geometry, regionBase, holder, descriptor));
    }

    public override void Wake(Region region)
    {
        TopicHeader* header = HeaderOf(region);
        Waiter.SignalAlways(&header->Data);
        Waiter.SignalAlways(&header->Space);
    }

    /// <summary>How many participants of a role are attached; the process of one of them.</summary>
    public static int Count(Region region, ParticipantRole role, out uint pid)
    {
        int count = 0;
        pid = 0;
        for (int index = 0; index < region.Geometry.ParticipantCapacity; index++)
        {
            ParticipantEntry* entry = region.Entry(index);
            // [live]
            if (Atomic.LoadAcquire(ref entry->State) != ParticipantEntry.Live ||
                Atomic.LoadAcquire(ref entry->Role) != (uint)role)
            {
                continue;
            }

            pid = Atomic.LoadAcquire(ref entry->Pid);
            count++;
        }

        return count;
    }

    /// <summary>A reader's place is made active once more, at the tail of now.</summary>
    public static void JoinAgain(Region region)
    {
        if (!region.TryLock(Deadline.After(s_lockTimeout)))
        {
            Region.ThrowLocked(region.Path);
        }

        try
        {
            TakeSeat(region, region.Index);
            region.SignalAll(); // who waits for readers
        }
        finally
        {
            region.Unlock();
        }
    }

    public static TopicReaderEntry* Seat(Region region, int index) =>
        (TopicReaderEntry*)(region.Base + Of(region).Geometry.ReadersOffset) + index;

    /// <summary>Makes a reader's entry active, under the region lock: it holds writers up from its joining
    /// on.</summary>
    /// <remarks>
    /// First the entry and its bit, then a fence, then the tail <c>[join]</c>. A writer that looks for the slowest
    /// reader reads the tail first, then a fence, then the entries. So either it sees this entry, or this reader sees a
    /// tail at least as great as the writer's, and that is as far as the writer will go on what it has seen.
    /// </remarks>
    private static void TakeSeat(Region region, int index)
    {
        TopicHeader* header = HeaderOf(region);
        TopicReaderEntry* seat = Seat(region, index);
        TopicEntrance entrance = Of(region);
        Atomic.StoreRelease(ref seat->Policy, (uint)entrance.Policy);
        Atomic.StoreRelease(ref seat->Cursor, Atomic.LoadAcquire(ref header->Tail));
        entrance.SeatState = TopicReaderEntry.NextActive(Atomic.LoadAcquire(ref seat->State));
        Atomic.StoreRelease(ref seat->State, entrance.SeatState);
        Atomic.TryOr(&header->Active[index >> 6], 1UL << (index & 63));
        FaultPoints.Pass(FaultPoints.TopicJoinEntry);
        Atomic.Fence();
        entrance.Joined = Atomic.LoadAcquire(ref header->Tail); // [join]
        Atomic.StoreRelease(ref seat->Joined, entrance.Joined);
        Atomic.StoreRelease(ref seat->Cursor, entrance.Joined); // [cursor]
        FaultPoints.Pass(FaultPoints.TopicJoinCursor);
    }

    /// <summary>Whether a slot names this block: for the message that its word is about, not for one before.</summary>
    private static bool Names(
        in TopicGeometry geometry, byte* regionBase, ulong holder, in LoanDescriptor descriptor)
    {
        ulong distance = holder - geometry.SlotsOffset;
        if (distance % geometry.Stride != 0 || distance / geometry.Stride >= geometry.SlotCount)
            return false;
        SlotHeader* slot = (SlotHeader*)(regionBase + holder);
        ulong word = Atomic.LoadAcquire(ref slot->State);
        LoanDescriptor* named = (LoanDescriptor*)(slot + 1);
        return SlotState.PhaseOf(word) is SlotState.Writing or SlotState.Ready &&
            // [loan] the lap first: it is written last
            Atomic.LoadAcquire(ref slot->LoanLap) == SlotState.LapOf(word) &&
            (slot->Flags & SlotHeader.LoanFlag) != 0 &&
            named->Class == descriptor.Class && named->Index == descriptor.Index &&
            named->Generation == descriptor.Generation;
    }

    /// <summary>What it was writing becomes gaps, and what somebody is writing who is not there any more (a thread that
    /// was in a claim longer than its object's Dispose waited). A word that changes meanwhile was another's.</summary>
    private static void GiveUpSlots(Region region, uint owner)
    {
        TopicGeometry geometry = Of(region).Geometry;
        byte* slots = region.Base + geometry.SlotsOffset;
        for (uint index = 0; index < geometry.SlotCount; index++)
        {
            SlotHeader* slot = (SlotHeader*)(slots + index * geometry.Stride);
            ulong word = Atomic.LoadAcquire(ref slot->State);
            if (SlotState.PhaseOf(word) == SlotState.Writing && IsGone(region, SlotState.OwnerOf(word), owner) &&
                Atomic.TryExchange(&slot->State, word, SlotState.Of(SlotState.LapOf(word), 0, SlotState.Gap)))
            {
                FaultPoints.Pass(FaultPoints.TopicRecoverSlot);
            }
        }
    }

    private static bool IsGone(Region region, uint owner, uint gone) =>
        owner == gone || owner == 0 || owner > (uint)region.Geometry.ParticipantCapacity ||
        // [live] nobody joins while we hold the lock
        Atomic.LoadAcquire(ref region.Entry((int)owner - 1)->State) != ParticipantEntry.Live;

    private static TopicEntrance Of(Region region) => (TopicEntrance)region.Entrance;

    private static TopicHeader* HeaderOf(Region region) => (TopicHeader*)region.Body;
}
