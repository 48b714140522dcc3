using System.Globalization;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>A listener region's part in joining, leaving and recovery; docs/wire-format.md section 5.</summary>
/// <remarks>
/// Participant 0 is the server; client connection <i>i</i> is participant <i>i</i> and slot <i>i</i>. The table can be
/// large and the server watches every client, so a client that joins looks only whether the server lives, and cleans up
/// for others only when the table is full. A slot outlives its client's entry: the server, which may still have the
/// connection mapped, makes it idle, and until then the entry is not given away.
/// </remarks>
internal sealed unsafe class ListenerRules : RegionRules
{
    private const int ServerIndex = 0;

    private readonly bool _isServer;
    private readonly int _participants;
    private readonly ulong _maxRingCapacity;

    private ListenerRules(bool isServer, int participants, ulong maxRingCapacity)
    {
        _isServer = isServer;
        _participants = participants;
        _maxRingCapacity = maxRingCapacity;
    }

    /// <summary>Told after a recovery that the process watch asked for; on its thread.</summary>
    public System.Action? PeersWereRecovered { get; set; }

    // The body's geometry, checked.
    public int SlotCount { get; private set; }
    public ulong SlotsOffset { get; private set; }
    public ulong ReadyOffset { get; private set; }

    public override RegionKind Kind => RegionKind.OfListener;

    public override ParticipantRole Role => _isServer ? ParticipantRole.Server : ParticipantRole.Client;

    public override bool RecoversAllOnJoin => false;

    /// <summary>A client on its way in (its slot may still be idle) or out: the server does not have it, so nobody
    /// watches it.</summary>
    public override bool IsSuspect(Region region, int index) =>
        index != ServerIndex &&
        ListenerSlot.StateOf(Atomic.LoadAcquire(ref Slot(region, index)->Word)) != ListenerSlot.Attached;

    public override IpcStatus TakenStatus => IpcStatus.InUse;

    public static ListenerRules ForServer(int maxConnections, ulong maxRingCapacity) =>
        new(true, (maxConnections + 1 + 63) & ~63, maxRingCapacity);

    public static ListenerRules ForClient() => new(false, 0, 0);

    public static string ConnectionName(string listener, ulong id) =>
        listener + "~" + id.ToString("x16", CultureInfo.InvariantCulture);

    public ListenerSlot* Slot(Region region, int index) => (ListenerSlot*)(region.Base + SlotsOffset) + index;

    public ulong* ReadyWord(Region region, int index) => (ulong*)(region.Base + ReadyOffset) + index / 64;

    /// <summary>Says "look at connection i" and rings.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Ring(Region region, int index)
    {
        Atomic.TryOr(ReadyWord(region, index), 1UL << index % 64); // [ready]
        Waiter.Signal(&HeaderOf(region)->Doorbell);
    }

    public override RegionRules ForAnother() => new ListenerRules(_isServer, _participants, _maxRingCapacity);

    public override RegionGeometry NewGeometry()
    {
        ulong bodyOffset = RegionGeometry.TableEnd(_participants);
        SlotCount = _participants;
        ReadyOffset = bodyOffset + ListenerHeader.ByteSize;
        SlotsOffset = (ReadyOffset + (ulong)_participants / 8 + 127) & ~127UL;
        ulong end = (SlotsOffset + (ulong)_participants * ListenerSlot.ByteSize + 4095) & ~4095UL;
        return RegionGeometry.For(_participants, bodyOffset, end - bodyOffset, NewLifetime);
    }

    public override void WriteBody(Region region)
    {
        ListenerHeader* header = HeaderOf(region);
        header->Magic = ListenerHeader.MagicValue;
        header->SlotCount = (uint)SlotCount;
        header->SlotsOffset = SlotsOffset;
        header->ReadyOffset = ReadyOffset;
        header->MaxRingCapacity = _maxRingCapacity;
        header->ServerState = ListenerHeader.Open;
    }

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

        SlotCount = (int)slots;
        SlotsOffset = slotsOffset;
        ReadyOffset = readyOffset;
    }

    public override bool CanJoin(Region region) =>
        Atomic.LoadAcquire(ref region.Entry(ServerIndex)->State) == ParticipantEntry.Live &&
        IsOpen(region) &&
        region.IsAlive(ServerIndex);

    public override (int First, int End) Entries(Region region) => _isServer ? (ServerIndex, 1) : (1, SlotCount);

    public override bool Names(Region region, int index) =>
        Atomic.LoadAcquire(ref Slot(region, index)->Word) != ListenerSlot.Idle;

    public override bool EndsWith(int index) => index == ServerIndex;

    /// <summary>Whoever goes while it is asking takes its file with it; so does the server with those of all who ask:
    /// one that comes later finds the listener closed, under the region lock, before it names its file.</summary>
    public override void Leave(Region region, int index)
    {
        if (index != ServerIndex)
        {
            Withdraw(region, index);
            return;
        }

        Atomic.StoreRelease(ref HeaderOf(region)->ServerState, ListenerHeader.Closed);
        Retire(region);
    }

    /// <summary>The server takes requests. Under the region lock.</summary>
    public bool IsOpen(Region region) => Atomic.LoadAcquire(ref HeaderOf(region)->ServerState) == ListenerHeader.Open;

    public override void Recover(Region region, int index) => Leave(region, index);

    public override void Recovered(Region region, int index)
    {
        if (index != ServerIndex)
            Ring(region, index); // only now: the server that looks finds the entry free
    }

    public override void SignalAll(Region region) => Waiter.SignalAlways(&HeaderOf(region)->Doorbell);

    public override void Retire(Region region)
    {
        for (int index = 1; index < SlotCount; index++)
            Withdraw(region, index);
    }

    public override void PeersChanged(Region region) => PeersWereRecovered?.Invoke();

    /// <summary>A connection that was being made is not: its name goes, then the word. If the server has just taken it,
    /// or freed the slot itself, the word is another one, and the slot is not ours to change.</summary>
    private void Withdraw(Region region, int index)
    {
        ListenerSlot* slot = Slot(region, index);
        ulong word = Atomic.LoadAcquire(ref slot->Word); // [slot]
        if (ListenerSlot.StateOf(word) is not (ListenerSlot.Opening or ListenerSlot.Requested))
            return;

        Os.Current.Unlink(region.SiblingPath(ConnectionName(region.Name, ListenerSlot.IdOf(word))));
        FaultPoints.Pass(FaultPoints.ListenerWithdrawUnlinked);
        Atomic.TryExchange(&slot->Word, word, ListenerSlot.Idle); // [slot]
    }

    private static ListenerHeader* HeaderOf(Region region) => (ListenerHeader*)region.Body;
}
