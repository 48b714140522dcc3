using System;
using System.Globalization;
using System.Linq;

namespace Ipc.Tool;

/// <summary>A whole report for people: for show.</summary>
internal static class RegionPage
{
    public static void Print(Terminal terminal, RegionReport report, DateTime now)
    {
        var page = new PageWriter(terminal);
        page.Line("name", report.Name);
        page.Line("file", report.Path);
        page.Line("kind", report.Kind);
        page.Line("state", Styles.Name(report.State));
        page.Line("size", $"{Human.Bytes(report.Size)} ({report.Size} bytes), {Human.Bytes(report.Memory)} of it present");
        if (report.ClientPid is not null)
            page.Line("processes", $"client {report.ClientPid}, server {report.ServerPid}");
        else if (report.Id is not null)
            PrintHeader(page, report, now);
        foreach (string damage in report.Damage)
            page.Line("damage", damage);
        foreach (string note in report.Notes.Distinct())
            page.Line("note", note);
        PrintParticipants(page, report, now);
        if (report.Ring is not null)
            BodyPages.Ring(page, "ring", report.Ring);
        if (report.Queue is not null)
            BodyPages.Queue(page, report.Queue);
        if (report.Topic is not null)
            BodyPages.Topic(page, report.Topic);
        if (report.Listener is not null)
            BodyPages.Listener(page, report.Listener);
        if (report.Connection is not null)
            BodyPages.Connection(page, report.Connection);
        if (report.Named is not null)
            BodyPages.Named(page, report.Named);
        if (report.Sync is not null)
            BodyPages.Sync(page, report.Kind!, report.DepthText!, report.Sync);
        if (report.Pool is not null)
            BodyPages.Pool(page, report.Pool);
        PrintHoldings(terminal, page, report);
    }

    private static void PrintHeader(PageWriter page, RegionReport report, DateTime now)
    {
        page.Line("version", report.Version);
        page.Line("id", report.Id);
        page.Line("created", $"{Human.Time(report.Created)}, {Human.Ago(report.Created, now)}, by process {report.CreatorPid}");
        page.Line("lifetime", Human.Lifetime(report.Lifetime) + (report.Unread is { } unread ? $", {unread} messages unread" : ""));
        page.Line("recoveries", $"{report.Recoveries} times a dead participant was cleaned up for");
    }

    private static void PrintParticipants(PageWriter page, RegionReport report, DateTime now)
    {
        if (report.ParticipantCapacity is not > 0)
            return;
        page.Heading($"participants: {report.Alive} alive, {report.Dead} dead, room for {report.ParticipantCapacity}");
        if (report.Participants.Count == 0)
            return;
        var table = new Listing(
            Column.Number("  #", 0, "#"), Column.Number("PID", 0, "pid"), Column.Text("PROCESS", 1), Column.Text("ALIVE", 0), Column.Text("ROLE", 2), Column.Text("LIBRARY", 4),
            Column.Text("SINCE", 3), Column.Number("USE", 5, "use"), Column.Text("WAITS", 6, "waits"));
        foreach (ParticipantReport one in report.Participants)
        {
            table.Add(
                new Cell(Number(one.Index)), new Cell(Number(one.Pid)), new Cell(one.Process ?? (one.ElsewhereInContainer ? "(another container)" : "")),
                one.Alive ? new Cell(one.Stopped ? "stopped" : "alive", one.Stopped ? "yellow" : "green") : new Cell("dead", "red"),
                new Cell(string.Join(", ", one.Roles)), new Cell(one.Runtime), new Cell(Human.Ago(one.Since, now)), new Cell(Number(one.Generation)),
                new Cell(string.Join("; ", new[] { one.Spin?.ToString(), one.RoomSpin is null ? null : $"for room: {one.RoomSpin}" }.Where(static part => part is not null))));
        }

        page.Table(table);
    }

    private static void PrintHoldings(Terminal terminal, PageWriter page, RegionReport report)
    {
        const int Most = 100;
        if (report.Holdings.Count == 0)
            return;
        page.Heading("held at this moment");
        var table = new Listing(Column.Number("  #", 0, "#"), Column.Number("PID", 0, "pid"), Column.Text("WHAT", 0));
        foreach (HoldingReport holding in report.Holdings.Take(Most))
            table.Add(new Cell(Number(holding.Participant)), new Cell(holding.Pid == 0 ? "gone" : Number(holding.Pid)), new Cell(holding.What));
        page.Table(table);
        if (report.Holdings.Count > Most)
            terminal.Out.WriteLine($"  and {report.Holdings.Count - Most} more: --json has all");
    }

    private static string Number(long number) => number.ToString(CultureInfo.InvariantCulture);
}
