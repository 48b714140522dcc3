using System;
using System.Text;

namespace Ipc.Tool;

/// <summary>A connection, docs/wire-format.md section 6. Its name lasts until the server has taken it: seen here are those on their way, and what was left of them.</summary>
internal static class ConnectionInspector
{
    private static readonly string[] s_replies = ["none", "accepted", "refused"];
    private static readonly string[] s_codes = ["open", "normal", "refused", "corrupt", "server shutting down", "protocol"];

    public static unsafe void Read(RegionLook look, RegionReport report, InspectionDepth depth)
    {
        ConnectionHeader header = look.Read<ConnectionHeader>(look.Body, "a connection's header");
        KindInspector.CheckMagic(header.Magic, ConnectionHeader.MagicValue, "connection");
        var text = new ReadOnlySpan<byte>(header.ServerText, (int)Math.Min(header.ServerTextLength, ConnectionHeader.TextCapacity));
        var hello = new ReadOnlySpan<byte>(header.Hello, (int)Math.Min(header.HelloLength, ConnectionHeader.TextCapacity));
        report.Connection = new ConnectionReport
        {
            Slot = header.Slot,
            ConnectionId = $"{header.ConnectionId:x16}",
            Reply = Name(s_replies, header.Reply),
            ServerClose = Name(s_codes, header.ServerClose),
            ClientClose = Name(s_codes, header.ClientClose),
            ServerText = Tame.Line(Encoding.UTF8.GetString(text)),
            Hello = Convert.ToHexString(hello),
            ServerProcessor = KindInspector.Processor(header.ServerProcessor),
            ClientProcessor = KindInspector.Processor(header.ClientProcessor),
            Session = WaiterReport.Of(header.Session),
        };
        report.Connection.ToServer = RingInspector.Read(look, header.ToServer, depth, report, out _);
        report.Connection.ToClient = RingInspector.Read(look, header.ToClient, depth, report, out _);
        report.Depth = report.Connection.ToServer.Records + report.Connection.ToClient.Records;
        report.DepthText = $"{report.Connection.ToServer.Records} to server, {report.Connection.ToClient.Records} to client";
        report.Counters = new Counters(report.Id!, "bytes", report.Connection.ToServer.Tail, report.Connection.ToClient.Tail);
    }

    private static string Name(string[] names, uint number) => number < names.Length ? names[number] : $"{number}, which is none";
}
