using System;

namespace Ipc;

/// <summary>A connection region's layout; docs/wire-format.md section 6. It has no participants: who lives is known from the listener's table.</summary>
internal sealed unsafe class ConnectionRules : RegionRules
{
    private readonly uint _slot;
    private readonly ulong _id;
    private readonly ReadOnlyMemory<byte> _hello;

    /// <summary>For a client, which makes it.</summary>
    public ConnectionRules(int slot, ulong id, ConnectOptions options)
        : this(slot, id)
    {
        const ulong BodyOffset = RegionHeader.ByteSize;
        ulong toServer = RingGeometry.CheckRequested(options.ToServerCapacity);
        ulong toClient = RingGeometry.CheckRequested(options.ToClientCapacity);
        ToServer = new RingGeometry(BodyOffset + ConnectionHeader.ToServerRing, toServer, 4096);
        ToClient = new RingGeometry(BodyOffset + ConnectionHeader.ToClientRing, toClient, 4096 + toServer);
        _hello = options.Hello;
        if (_hello.Length > ConnectionHeader.TextCapacity)
            Throw.Status(IpcStatus.InvalidArgument, $"The hello has {_hello.Length} bytes; at most {ConnectionHeader.TextCapacity} are possible.");
    }

    /// <summary>For a server, which checks it.</summary>
    public ConnectionRules(int slot, ulong id)
    {
        _slot = (uint)slot;
        _id = id;
    }

    public RingGeometry ToServer { get; private set; }

    public RingGeometry ToClient { get; private set; }

    public byte[] Hello { get; private set; } = Array.Empty<byte>();

    public override RegionKind Kind => RegionKind.OfConnection;

    public override ParticipantRole Role => ParticipantRole.None;

    public override RegionRules ForAnother() => new ConnectionRules((int)_slot, _id);

    public override RegionGeometry NewGeometry() => RegionGeometry.For(
        0, RegionHeader.ByteSize, ToClient.DataOffset + ToClient.Capacity - RegionHeader.ByteSize, persistent: false);

    public override void WriteBody(Region region)
    {
        ConnectionHeader* header = (ConnectionHeader*)region.Body;
        header->Magic = ConnectionHeader.MagicValue;
        header->Slot = _slot;
        header->ToServer = ToServer.HeaderOffset;
        header->ToClient = ToClient.HeaderOffset;
        header->ConnectionId = _id;
        header->HelloLength = (uint)_hello.Length;
        _hello.Span.CopyTo(new Span<byte>(header->Hello, ConnectionHeader.TextCapacity));
        ToServer.Write(region.Base);
        ToClient.Write(region.Base);
    }

    public override void CheckBody(Region region)
    {
        if (region.Geometry.BodySize < ConnectionHeader.ByteSize)
            Throw.Corrupt($"{region.Path}: a connection body of {region.Geometry.BodySize} bytes; it has at least {ConnectionHeader.ByteSize}.");

        ConnectionHeader* header = (ConnectionHeader*)region.Body;
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        if (magic != ConnectionHeader.MagicValue)
            Throw.Corrupt($"{region.Path}: connection magic 0x{magic:X8}, expected 0x{ConnectionHeader.MagicValue:X8}.");
        uint slot = Atomic.LoadAcquire(ref header->Slot);
        ulong id = Atomic.LoadAcquire(ref header->ConnectionId);
        if (slot != _slot || id != _id)
            Throw.Corrupt($"{region.Path}: connection {id:x16} of slot {slot}; it was announced as {_id:x16} of slot {_slot}.");

        ToServer = RingGeometry.Check(region.View, Atomic.LoadAcquire(ref header->ToServer), region.Path);
        ToClient = RingGeometry.Check(region.View, Atomic.LoadAcquire(ref header->ToClient), region.Path);
        CheckApart(region.Path);

        uint length = Atomic.LoadAcquire(ref header->HelloLength);
        if (length > ConnectionHeader.TextCapacity)
            Throw.Corrupt($"{region.Path}: a hello of {length} bytes; at most {ConnectionHeader.TextCapacity} are possible.");
        Hello = new ReadOnlySpan<byte>(header->Hello, (int)length).ToArray();
    }

    private void CheckApart(string path)
    {
        bool apart = ToServer.DataOffset + ToServer.Capacity <= ToClient.DataOffset || ToClient.DataOffset + ToClient.Capacity <= ToServer.DataOffset;
        ulong lastHeader = Math.Max(ToServer.HeaderOffset, ToClient.HeaderOffset) + RingHeader.ByteSize;
        bool headersApart = ToServer.HeaderOffset + RingHeader.ByteSize <= ToClient.HeaderOffset || ToClient.HeaderOffset + RingHeader.ByteSize <= ToServer.HeaderOffset;
        if (!apart || !headersApart || lastHeader > Math.Min(ToServer.DataOffset, ToClient.DataOffset))
        {
            Throw.Corrupt($"{path}: ring headers at {ToServer.HeaderOffset} and {ToClient.HeaderOffset}, data at {ToServer.DataOffset} (+{ToServer.Capacity}) and " +
                $"{ToClient.DataOffset} (+{ToClient.Capacity}) overlap; they must not.");
        }
    }
}
