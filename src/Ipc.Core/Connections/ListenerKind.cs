namespace Ipc;

/// <summary>A listener region's part in entering, leaving and recovery; docs/wire-format.md section 5.</summary>
/// <remarks>
/// Participant 0 is the server; client connection <i>i</i> is participant <i>i</i> and slot <i>i</i>. The table can be
/// large and the server watches every client, so a client that joins looks only whether the server lives, and cleans up
/// for others only when the table is full. A slot outlives its client's entry: the server, which may still have the
/// connection mapped, makes it idle, and until then the entry is not given away.
/// </remarks>
internal sealed unsafe class ListenerKind : RegionKind
{
    public static readonly ListenerKind Instance = new();

    private const int ServerIndex = 0;

    public override KindNumber Number => KindNumber.OfListener;

    public override bool FirstJudges => true;

    /// <summary>A client on its way in (its slot may still be idle), whom nobody watches; or out, if the server could
    /// not watch it.</summary>
    public override bool IsSuspect(Region region, int index) =>
        index != ServerIndex &&
        ListenerSlot.StateOf(Atomic.LoadAcquire(ref Of(region).Slot(region, index)->Word)) != ListenerSlot.Attached;

    public override void CheckBody(Region region)
    {
        if (region.Geometry.BodySize < ListenerHeader.ByteSize)
            Throw.Corrupt(
                $"{region.Path}: a listener body of {region.Geometry.BodySize} bytes; it has at least " +
                $"{ListenerHeader.ByteSize}.");

        ListenerHeader* header = HeaderOf(region);
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        uint slots = Atomic.LoadAcquire(ref header->SlotCount);
        ulong slotsOffset = Atomic.LoadAcquire(ref header->SlotsOffset);
        ulong readyOffset = Atomic.LoadAcquire(ref header->ReadyOffset);
        ulong bodyOffset = region.Geometry.BodyOffset;
        ulong end = bodyOffset + region.Geometry.BodySize;
        if (magic != ListenerHeader.MagicValue)
            Throw.Corrupt($"{region.Path}: listener magic 0x{magic:X8}, expected 0x{ListenerHeader.MagicValue:X8}.");
        if (slots != region.Geometry.ParticipantCapacity || slots == 0 || slots % 64 != 0)
            Throw.Corrupt(
                $"{region.Path}: {slots} slots for {region.Geometry.ParticipantCapacity} participants; both must be " +
                "the same multiple of 64.");
        if (slotsOffset % 128 != 0 || slotsOffset < bodyOffset + ListenerHeader.ByteSize || slotsOffset > end ||
            (ulong)slots * ListenerSlot.ByteSize > end - slotsOffset)
        {
            Throw.Corrupt(
                $"{region.Path}: {slots} slots at {slotsOffset}; they must begin at a multiple of 128 and end within " +
                $"{end}.");
        }

        if (readyOffset % 8 != 0 || readyOffset < bodyOffset + ListenerHeader.ByteSize || readyOffset > end ||
            slots / 8 > end - readyOffset)
        {
            Throw.Corrupt(
                $"{region.Path}: {slots} ready bits at {readyOffset}; they must begin at a multiple of 8 and end " +
                $"within {end}.");
        }

        ListenerEntrance entrance = Of(region);
        entrance.SlotCount = (int)slots;
        entrance.SlotsOffset = slotsOffset;
        entrance.ReadyOffset = readyOffset;
    }

    public override bool IsOpen(Region region)
    {
        if (Atomic.LoadAcquire(ref HeaderOf(region)->ServerState) == ListenerHeader.Followed)
            Wake(region); // who wanted the name was killed on the way, perhaps: its server looks
        return ListenerEntrance.TakesRequests(region) && IsTaken(region);
    }

    public override bool IsTaken(Region region) =>
        Atomic.LoadAcquire(ref region.Entry(ServerIndex)->State) == ParticipantEntry.Live &&
        region.IsAlive(ServerIndex);

    public override bool HandsOver(Region region, RegionEntrance successor)
    {
        if (successor is not ListenerEntrance { TakesOver: true })
            return false;
        if (Atomic.LoadAcquire(ref HeaderOf(region)->HandsOver) != 1)
            Throw.Status(
                IpcStatus.InUse,
                $"{region.Path} has a server already, process {region.Entry(ServerIndex)->Pid}, which was not opened " +
                "with TakeOver and would not learn that it is followed: end that process, or use another name.");
        return true;
    }

    public override void SayFollowed(Region region, bool followed) => Atomic.StoreRelease(
        ref HeaderOf(region)->ServerState, followed ? ListenerHeader.Followed : ListenerHeader.Open); // [follow]

    public override (int First, int End) Entries(Region region, ParticipantRole role) =>
        role == ParticipantRole.Server ? (ServerIndex, 1) : (1, Of(region).SlotCount);

    public override bool Names(Region region, int index) =>
        Atomic.LoadAcquire(ref Of(region).Slot(region, index)->Word) != ListenerSlot.Idle;

    public override bool Retires(int index) => index == ServerIndex;

    /// <summary>Whoever goes while it is asking takes its file with it; so does the server with those of all who ask:
    /// one that comes later finds the listener closed, under the region lock, before it names its file.</summary>
    public override void CleanUp(Region region, int index, bool died)
    {
        if (index != ServerIndex)
        {
            Withdraw(region, index);
            return;
        }

        Retire(region);
    }

    public override void Freed(Region region, int index)
    {
        if (index != ServerIndex)
            Of(region).Ring(region, index); // only now: the server that looks finds the entry free
    }

    public override void Wake(Region region) => Waiter.SignalAlways(&HeaderOf(region)->Doorbell);

    /// <summary>Closed first: whoever misses its request then knows that the server has gone, and has not refused
    /// it.</summary>
    public override void Retire(Region region)
    {
        Atomic.StoreRelease(ref HeaderOf(region)->ServerState, ListenerHeader.Closed);
        region.RemoveNext();
        for (int index = 1; index < Of(region).SlotCount; index++)
            Withdraw(region, index);
    }

    /// <summary>A connection that was being made is not: its name goes, then the word. If the server has just taken it,
    /// or freed the slot itself, the word is another one, and the slot is not ours to change.</summary>
    private static void Withdraw(Region region, int index)
    {
        ListenerSlot* slot = Of(region).Slot(region, index);
        ulong word = Atomic.LoadAcquire(ref slot->Word); // [slot]
        if (ListenerSlot.StateOf(word) is not (ListenerSlot.Opening or ListenerSlot.Requested))
            return;

        // another user's stays until that user comes again: Connection.Names.cs
        _ = Os.Current.TryUnlink(ListenerEntrance.ConnectionPath(region, ListenerSlot.IdOf(word)));
        FaultPoints.Pass(FaultPoints.ListenerWithdrawUnlinked);
        Atomic.TryExchange(&slot->Word, word, ListenerSlot.Idle); // [slot]
    }

    private static ListenerEntrance Of(Region region) => (ListenerEntrance)region.Entrance;

    private static ListenerHeader* HeaderOf(Region region) => (ListenerHeader*)region.Body;
}
