using System.Globalization;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>One opening of a listener's region, and where its parts are.</summary>
internal sealed unsafe class ListenerEntrance : RegionEntrance
{
    private readonly bool _isServer;
    private readonly int _participants;
    private readonly ulong _maxRingCapacity;
    private readonly ConnectionProtocol _protocol;

    private ListenerEntrance(
        bool isServer,
        int participants,
        ulong maxRingCapacity,
        Access access,
        ConnectionProtocol protocol,
        bool takesOver)
    {
        TakesOver = takesOver;
        _protocol = protocol;
        AskedAccess = access;
        _isServer = isServer;
        _participants = participants;
        _maxRingCapacity = maxRingCapacity;
    }

    /// <summary>A server's: takes the name of a live one, and lets the next one take its own.</summary>
    public bool TakesOver { get; }

    /// <summary>Told after a recovery that the process watch asked for; on its thread.</summary>
    public System.Action? PeersWereRecovered { get; set; }

    // The body's geometry, checked.
    public int SlotCount { get; set; }
    public ulong SlotsOffset { get; set; }
    public ulong ReadyOffset { get; set; }

    public override RegionKind Kind => ListenerKind.Instance;

    public override ParticipantRole Role => _isServer ? ParticipantRole.Server : ParticipantRole.Client;

    public override IpcStatus TakenStatus => IpcStatus.InUse;

    public override Access AskedAccess { get; }

    /// <summary>A client's: what stands in the listener's table is believed by nobody, and a connection is closed to
    /// others.</summary>
    public override bool TakesOpen => !_isServer;

    public static ListenerEntrance ForServer(ListenerOptions options, ulong maxRingCapacity) =>
        new(true, (options.MaxConnections + 1 + 63) & ~63, maxRingCapacity, options.Access, options.Protocol,
            options.TakeOver);

    public static ListenerEntrance ForClient(Access access) => new(false, 0, 0, access, default, false);

    /// <summary>What the server says that its connections speak.</summary>
    public static ConnectionProtocol ProtocolOf(Region region) =>
        ConnectionProtocol.Of(Atomic.LoadAcquire(ref HeaderOf(region)->Protocol));

    public static string ConnectionPath(Region listener, ulong id) =>
        listener.Path + "~" + id.ToString("x16", CultureInfo.InvariantCulture);

    public ListenerSlot* Slot(Region region, int index) => (ListenerSlot*)(region.Base + SlotsOffset) + index;

    public ulong* ReadyWord(Region region, int index) => (ulong*)(region.Base + ReadyOffset) + index / 64;

    /// <summary>Says "look at connection i" and rings.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Ring(Region region, int index)
    {
        Atomic.TryOr(ReadyWord(region, index), 1UL << index % 64); // [ready]
        Waiter.Signal(&HeaderOf(region)->Doorbell);
    }

    /// <summary>The server takes requests. Under the region lock.</summary>
    public static bool TakesRequests(Region region) =>
        Atomic.LoadAcquire(ref HeaderOf(region)->ServerState) == ListenerHeader.Open;

    public override RegionEntrance ForAnother() =>
        new ListenerEntrance(_isServer, _participants, _maxRingCapacity, AskedAccess, _protocol, TakesOver);

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
        header->Protocol = _protocol.Word;
        header->HandsOver = TakesOver ? 1u : 0;
        header->ServerState = ListenerHeader.Open;
    }

    public override void PeersChanged() => PeersWereRecovered?.Invoke();

    private static ListenerHeader* HeaderOf(Region region) => (ListenerHeader*)region.Body;
}
