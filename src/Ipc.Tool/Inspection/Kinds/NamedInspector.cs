using System;
using System.Text;

namespace Ipc.Tool;

/// <summary>A named connection, docs/wire-format.md section 14.</summary>
internal static class NamedInspector
{
    public static unsafe void Read(RegionLook look, RegionReport report, InspectionDepth depth)
    {
        NamedHeader header = look.Read<NamedHeader>(look.Body, "a named connection's header");
        KindInspector.CheckMagic(header.Magic, NamedHeader.MagicValue, "named connection");
        report.Named = new NamedReport
        {
            Server = Text(header.Server, header.ServerLength),
            Client = Text(header.Client, header.ClientLength),
            Identity = header.IdentityLength == 0 ? null : Text(header.Identity, header.IdentityLength),
            AcknowledgedByServer = Acknowledged(look, header.ToServer),
            AcknowledgedByClient = Acknowledged(look, header.ToClient),
        };
        RingReport toServer = RingInspector.Read(look, header.ToServer, depth, report, out _);
        RingReport toClient = RingInspector.Read(look, header.ToClient, depth, report, out _);
        (report.Named.ToServer, report.Named.ToClient) = (toServer, toClient);
        report.Depth = report.Unread = toServer.Records + toClient.Records;
        report.DepthText = $"{toServer.Records}{(toServer.More ? "+" : "")} to server, {toClient.Records}{(toClient.More ? "+" : "")} to client";
        report.Counters = new Counters(report.Id!, "bytes", toServer.Tail, toClient.Tail);
    }

    private static ulong Acknowledged(RegionLook look, ulong ring)
    {
        const ulong Offset = 272;
        return look.U64(ring + Offset, "what is acknowledged");
    }

    private static unsafe string Text(byte* bytes, uint length) =>
        Tame.Line(Encoding.UTF8.GetString(new ReadOnlySpan<byte>(bytes, (int)Math.Min(length, NamedHeader.NameCapacity))));
}
