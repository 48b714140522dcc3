using System;

namespace Ipc;

/// <summary>A topic's part in joining, leaving and recovery; docs/wire-format.md section 10. One object per opened
/// end.</summary>
/// <remarks>
/// Readers take the first places of the participant table, as many as the topic allows, writers the others: neither can
/// keep the other out. What a dead writer was writing becomes a gap that readers pass over; what a dead reader had not
/// released holds nobody up any more.
/// </remarks>
internal sealed unsafe class TopicRules : RegionRules
{
    private static readonly TimeSpan s_lockPatience = TimeSpan.FromSeconds(5);

    private readonly TopicOptions _options;
    private readonly TopicPolicy _policy; // of a reader

    private TopicRules(TopicOptions options, bool isWriter, TopicPolicy policy)
    {
        _options = options;
        _policy = policy;
        Role = isWriter ? ParticipantRole.Writer : ParticipantRole.Reader;
    }

    public static TopicRules ForWriter(TopicOptions options) => new(options, isWriter: true, default);

    public static TopicRules ForReader(TopicOptions options, TopicPolicy policy) =>
        new(options, isWriter: false, policy);

    /// <summary>Set by creating or checking the body.</summary>
    public TopicGeometry Geometry { get; private set; }

    /// <summary>For long messages; null: there is none.</summary>
    public Pool? Pool { get; private set; }

    /// <summary>A reader's: the state word of its place since it joined.</summary>
    public uint SeatState { get; private set; }

    /// <summary>A reader's: the tail that it joined at.</summary>
    public ulong Joined { get; private set; }

    public override RegionKind Kind => RegionKind.OfTopic;

    public override ParticipantRole Role { get; }

    public override Lifetime AskedLifetime => _options.Lifetime;

    public override RegionRules ForAnother() => new TopicRules(_options, Role == ParticipantRole.Writer, _policy);

    public override RegionGeometry NewGeometry()
    {
        Geometry = TopicGeometry.New(_options);
        ulong budget = PoolGeometry.CheckRequested(_options.LoanBudget);
        return RegionGeometry.ForSparse(
            Geometry.Participants, Geometry.BodyOffset, Geometry.SlotsEnd - Geometry.BodyOffset + Pool.SizeOf(budget),
            NewLifetime, Geometry.SlotsEnd + Pool.ReservedOf(budget), default);
    }

    public override void WriteBody(Region region)
    {
        CheckPolicy(region);
        Geometry.Write(region.Base);
        if (Geometry.PoolOffset != 0)
            Pool.WriteHeader(region.Base + Geometry.PoolOffset, PoolGeometry.CheckRequested(_options.LoanBudget));
        LocatePool(region);
    }

    public override void CheckBody(Region region)
    {
        Geometry = TopicGeometry.Check(region.Base, region.Geometry, region.Path);
        LocatePool(region);
    }

    public override void Prepare(Region region)
    {
        CheckPolicy(region);
        int there = Count(region, Role, out uint pid);
        if (there > 0 && Role == ParticipantRole.Writer && Geometry.IsSingleWriter)
        {
            Throw.Status(
                IpcStatus.InUse,
                $"Topic {region.Path} has its writer, process {pid}; it was created for a single one. " +
                "Close that one, or create the topic for several.");
        }

        int room = Role == ParticipantRole.Reader ? (int)Geometry.MaxReaders : Geometry.MaxWriters;
        if (there >= room)
        {
            Throw.Status(
                IpcStatus.TableFull,
                $"Topic {region.Path} has {there} {(Role == ParticipantRole.Reader ? "readers" : "writers")} " +
                $"already, and room for {room}. " +
                "Close one, or create it with more.");
        }
    }

    public override (int First, int End) Entries(Region region) => Role == ParticipantRole.Reader
        ? (0, (int)Geometry.MaxReaders)
        : ((int)Geometry.MaxReaders, region.Geometry.ParticipantCapacity);

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

    public override void Join(Region region, int index)
    {
        if (Role == ParticipantRole.Reader)
            TakeSeat(region, index);
    }

    public override bool Names(Region region, int index) =>
        ReaderBits.Next(HeaderOf(region)->Active, index, index + 1) == index ||
        TopicReaderEntry.PhaseOf(Atomic.LoadAcquire(ref Seat(region, index)->State)) != TopicReaderEntry.None;

    public override void Leave(Region region, int index) => Vacate(region, index);

    public override void Recover(Region region, int index) => Vacate(region, index);

    public override void SignalAll(Region region)
    {
        TopicHeader* header = HeaderOf(region);
        Waiter.SignalAlways(&header->Data);
        Waiter.SignalAlways(&header->Space);
    }

    /// <summary>A reader's place is made active once more, at the tail of now.</summary>
    public void JoinAgain(Region region)
    {
        if (!region.TryLock(Deadline.After(s_lockPatience)))
        {
            Throw.Status(
                IpcStatus.Timeout,
                $"The lock of region {region.Path} was not free for {s_lockPatience.TotalSeconds} s: a participant " +
                "that holds it is " +
                "stopped, in a debugger perhaps. Continue or end that process.");
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

    /// <summary>Makes a reader's entry active, under the region lock: it holds writers up from its joining
    /// on.</summary>
    /// <remarks>
    /// First the entry and its bit, then a fence, then the tail <c>[join]</c>. A writer that looks for the slowest
    /// reader reads the tail first, then a fence, then the entries. So either it sees this entry, or this reader sees a
    /// tail at least as great as the writer's, and that is as far as the writer will go on what it has seen.
    /// </remarks>
    private void TakeSeat(Region region, int index)
    {
        TopicHeader* header = HeaderOf(region);
        TopicReaderEntry* seat = Seat(region, index);
        Atomic.StoreRelease(ref seat->Policy, (uint)_policy);
        Atomic.StoreRelease(ref seat->Cursor, Atomic.LoadAcquire(ref header->Tail));
        SeatState = TopicReaderEntry.NextActive(Atomic.LoadAcquire(ref seat->State));
        Atomic.StoreRelease(ref seat->State, SeatState);
        Atomic.TryOr(&header->Active[index >> 6], 1UL << (index & 63));
        FaultPoints.Pass(FaultPoints.TopicJoinEntry);
        Atomic.Fence();
        Joined = Atomic.LoadAcquire(ref header->Tail); // [join]
        Atomic.StoreRelease(ref seat->Joined, Joined);
        Atomic.StoreRelease(ref seat->Cursor, Joined); // [cursor]
        FaultPoints.Pass(FaultPoints.TopicJoinCursor);
    }

    public TopicReaderEntry* Seat(Region region, int index) =>
        (TopicReaderEntry*)(region.Base + Geometry.ReadersOffset) + index;

    private void CheckPolicy(Region region)
    {
        if (Role == ParticipantRole.Reader && !Geometry.Allows(_policy))
        {
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"Topic {region.Path} does not allow readers of policy {_policy}; its policies are " +
                $"{(TopicPolicies)(Geometry.Flags >> TopicHeader.PolicyShift) & TopicPolicies.All}.");
        }
    }

    private void Vacate(Region region, int index)
    {
        if (region.Entry(index)->Role != (uint)ParticipantRole.Reader)
            GiveUpSlots(region, (uint)index + 1); // a reader has none

        TopicReaderEntry* seat = Seat(region, index);
        Atomic.StoreRelease(ref seat->State, TopicReaderEntry.Vacated(Atomic.LoadAcquire(ref seat->State)));
        Atomic.TryAnd(&HeaderOf(region)->Active[index >> 6], ~(1UL << (index & 63)));
        FaultPoints.Pass(FaultPoints.TopicRecoverReader);
        byte* regionBase = region.Base;
        Pool?.Recover(
            (uint)index + 1, (ulong holder, in LoanDescriptor descriptor) => Names(regionBase, holder, descriptor));
    }

    private void LocatePool(Region region) => Pool = Geometry.PoolOffset == 0
        ? null
        : Pool.Locate(
            region.View, Geometry.PoolOffset, region.Path, region, Geometry.BodyOffset + region.Geometry.BodySize);

    /// <summary>Whether a slot names this block: for the message that its word is about, not for one before.</summary>
    private bool Names(byte* regionBase, ulong holder, in LoanDescriptor descriptor)
    {
        ulong distance = holder - Geometry.SlotsOffset;
        if (distance % Geometry.Stride != 0 || distance / Geometry.Stride >= Geometry.SlotCount)
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
    private void GiveUpSlots(Region region, uint owner)
    {
        byte* slots = region.Base + Geometry.SlotsOffset;
        for (uint index = 0; index < Geometry.SlotCount; index++)
        {
            SlotHeader* slot = (SlotHeader*)(slots + index * Geometry.Stride);
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

    private static TopicHeader* HeaderOf(Region region) => (TopicHeader*)region.Body;
}
