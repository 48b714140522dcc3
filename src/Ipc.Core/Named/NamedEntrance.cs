using System;
using System.Text;

namespace Ipc;

/// <summary>One opening of a named connection's region, as client or as server.</summary>
internal sealed unsafe class NamedEntrance : RegionEntrance
{
    private const int Participants = 16;

    private readonly NamedConnectionOptions _options;

    public NamedEntrance(string server, string client, bool isClient, NamedConnectionOptions options)
    {
        Server = server;
        Client = client;
        IsClient = isClient;
        _options = options;
    }

    public string Server { get; }

    public string Client { get; }

    public bool IsClient { get; }

    // The body's geometry, checked.
    public RingGeometry ToServer { get; set; }
    public RingGeometry ToClient { get; set; }

    /// <summary>The ring that this side writes.</summary>
    public RingGeometry Written => IsClient ? ToServer : ToClient;

    /// <summary>The ring that this side reads.</summary>
    public RingGeometry Read => IsClient ? ToClient : ToServer;

    public RingStart WriterStart { get; set; }

    public RingStart ReaderStart { get; set; }

    /// <summary>Who has it open; null until then.</summary>
    public NamedEnds? Ends { get; set; }

    /// <summary>Of the message that is sent first.</summary>
    public ulong NextSequence { get; set; } = 1;

    /// <summary>What this side has acknowledged, in all its lives.</summary>
    public ulong Acknowledged { get; set; }

    public override RegionKind Kind => NamedKind.Instance;

    public override ParticipantRole Role => IsClient ? ParticipantRole.Client : ParticipantRole.Server;

    /// <summary>The file of that conversation, as a region's name. No other region can have it.</summary>
    public static string NameOf(string server, string client) => server + RegionName.Between + client;

    public override RegionEntrance ForAnother() => new NamedEntrance(Server, Client, IsClient, _options);

    public override RegionGeometry NewGeometry()
    {
        ulong body = RegionGeometry.TableEnd(Participants);
        ulong toServer = RingGeometry.CheckRequested(_options.ToServerCapacity);
        ulong toClient = RingGeometry.CheckRequested(_options.ToClientCapacity);
        ulong budget = PoolGeometry.CheckRequested(_options.LoanBudget);
        ulong data = (body + NamedHeader.ToClientRing + RingHeader.ByteSize + 4095) & ~4095UL;
        // behind the rings, so that what is present from the start is two ranges
        ulong pools = data + toServer + toClient;
        ToServer = new RingGeometry(body + NamedHeader.ToServerRing, toServer, data, pools, budget);
        ToClient = new RingGeometry(
            body + NamedHeader.ToClientRing, toClient, data + toServer, pools + Pool.SizeOf(budget), budget);
        return RegionGeometry.ForSparse(
            Participants, body, pools + 2 * Pool.SizeOf(budget) - body, NewLifetime,
            pools + Pool.ReservedOf(budget), new FileRange(ToClient.PoolOffset, Pool.ReservedOf(budget)));
    }

    public override void WriteBody(Region region)
    {
        NamedHeader* header = (NamedHeader*)region.Body;
        header->Magic = NamedHeader.MagicValue;
        header->ToServer = ToServer.HeaderOffset;
        header->ToClient = ToClient.HeaderOffset;
        header->ServerLength = Write(Server, header->Server);
        header->ClientLength = Write(Client, header->Client);
        ToServer = ToServer.Write(region);
        ToClient = ToClient.Write(region);
        WriterStart = ReaderStart = new RingStart { LastRecord = RingStart.None };
    }

    private static uint Write(string name, byte* to)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(name);
        bytes.AsSpan().CopyTo(new Span<byte>(to, NamedHeader.NameCapacity));
        return (uint)bytes.Length;
    }
}
