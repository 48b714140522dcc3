using System;

namespace Ipc;

/// <summary>One opening of a connection's region, and its layout; docs/wire-format.md section 6.</summary>
internal sealed unsafe class ConnectionEntrance : RegionEntrance
{
    /// <summary>A ring begins with so much memory; its writer makes the rest when it gets there. Most connections
    /// never do.</summary>
    private const ulong FirstPresent = 8192;

    private readonly uint _slot;
    private readonly ulong _id;
    private readonly ulong _budget;
    private readonly ReadOnlyMemory<byte> _hello;

    /// <summary>For a client, which makes it.</summary>
    public ConnectionEntrance(int slot, ulong id, ConnectOptions options, int protocolVersion)
        : this(slot, id)
    {
        Protocol = options.Protocol.Exactly(protocolVersion);
        const ulong BodyOffset = RegionHeader.ByteSize;
        ulong toServer = RingGeometry.CheckRequested(options.ToServerCapacity);
        ulong toClient = RingGeometry.CheckRequested(options.ToClientCapacity);
        ulong budget = PoolGeometry.CheckRequested(options.LoanBudget);
        ulong pools = 4096 + toServer + toClient;
        _budget = budget;
        ToServer = new RingGeometry(BodyOffset + ConnectionHeader.ToServerRing, toServer, 4096, pools, budget)
            .With(PresentOf(toServer));
        ToClient = new RingGeometry(
            BodyOffset + ConnectionHeader.ToClientRing, toClient, 4096 + toServer, pools + Pool.SizeOf(budget), budget)
            .With(PresentOf(toClient));
        _hello = options.Hello;
        if (_hello.Length > ConnectionHeader.TextCapacity)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"The hello has {_hello.Length} bytes, at most {ConnectionHeader.TextCapacity} are possible.");
    }

    /// <summary>For a server, which checks it.</summary>
    public ConnectionEntrance(int slot, ulong id)
    {
        _slot = (uint)slot;
        _id = id;
    }

    public ulong Id => _id;

    public RingGeometry ToServer { get; private set; }

    public RingGeometry ToClient { get; private set; }

    /// <summary>Which version of which the client says that it is going to speak.</summary>
    public ConnectionProtocol Protocol { get; private set; }

    public byte[] Hello { get; private set; } = Array.Empty<byte>();

    public override RegionKind Kind => ConnectionKind.Instance;

    public override ParticipantRole Role => ParticipantRole.None;

    public override RegionEntrance ForAnother() => new ConnectionEntrance((int)_slot, _id);

    public override RegionGeometry NewGeometry()
    {
        ulong rings = ToClient.DataOffset + ToClient.Capacity;
        ulong pool = _budget == 0 ? 0
            : Os.Current.PopulatesByMapping ? PoolHeader.TableOffset : Pool.ReservedOf(_budget);
        return RegionGeometry.ForSparse(
            0, RegionHeader.ByteSize, rings + 2 * Pool.SizeOf(_budget) - RegionHeader.ByteSize, NewLifetime,
            ToServer.DataOffset + ToServer.Present, new FileRange(ToClient.DataOffset, ToClient.Present),
            new FileRange(ToServer.PoolOffset, pool), new FileRange(ToClient.PoolOffset, pool));
    }

    public override void WriteBody(Region region)
    {
        ConnectionHeader* header = (ConnectionHeader*)region.Body;
        header->Magic = ConnectionHeader.MagicValue;
        header->Slot = _slot;
        header->ToServer = ToServer.HeaderOffset;
        header->ToClient = ToClient.HeaderOffset;
        header->ConnectionId = _id;
        header->HelloLength = (uint)_hello.Length;
        header->Protocol = Protocol.Word;
        _hello.Span.CopyTo(new Span<byte>(header->Hello, ConnectionHeader.TextCapacity));
        ToServer = ToServer.Write(region);
        ToClient = ToClient.Write(region);
        if (!Os.Current.PopulatesByMapping)
            return;
        ToServer.Pool?.LeaveTable();
        ToClient.Pool?.LeaveTable();
    }

    /// <summary>What a system that makes memory present by the file alone makes, it makes at once: the file is closed
    /// soon.</summary>
    private static ulong PresentOf(ulong capacity) =>
        Os.Current.PopulatesByMapping ? Math.Min(capacity, FirstPresent) : capacity;

    /// <summary>Checks what the other side wrote.</summary>
    public void Check(Region region)
    {
        if (region.Geometry.BodySize < ConnectionHeader.ByteSize)
            Throw.Corrupt(
                $"{region.Path}: a connection body of {region.Geometry.BodySize} bytes; it has at least " +
                $"{ConnectionHeader.ByteSize}.");

        ConnectionHeader* header = (ConnectionHeader*)region.Body;
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        if (magic != ConnectionHeader.MagicValue)
            Throw.Corrupt(
                $"{region.Path}: connection magic 0x{magic:X8}, expected 0x{ConnectionHeader.MagicValue:X8}.");
        uint slot = Atomic.LoadAcquire(ref header->Slot);
        ulong id = Atomic.LoadAcquire(ref header->ConnectionId);
        if (slot != _slot || id != _id)
            Throw.Corrupt(
                $"{region.Path}: connection {id:x16} of slot {slot}; it was announced as {_id:x16} of slot {_slot}.");

        ulong end = region.Geometry.BodyOffset + region.Geometry.BodySize;
        ToServer = RingGeometry.Check(region, Atomic.LoadAcquire(ref header->ToServer), end).CheckPresent(region);
        ToClient = RingGeometry.Check(region, Atomic.LoadAcquire(ref header->ToClient), end).CheckPresent(region);
        RingGeometry.CheckApart(region.Path, ToServer, ToClient);

        uint length = Atomic.LoadAcquire(ref header->HelloLength);
        if (length > ConnectionHeader.TextCapacity)
            Throw.Corrupt(
                $"{region.Path}: a hello of {length} bytes; at most {ConnectionHeader.TextCapacity} are possible.");
        Hello = new ReadOnlySpan<byte>(header->Hello, (int)length).ToArray();
        Protocol = ConnectionProtocol.Of(Atomic.LoadAcquire(ref header->Protocol));
    }
}
