using System.Collections.Generic;
using System.Globalization;

namespace Ipc.Tool;

/// <summary>Regions, one per line: for ls and top.</summary>
internal static class RegionTable
{
    public static Listing Of(IEnumerable<RegionReport> reports)
    {
        var table = new Listing(
            Column.Text("NAME", 0), Column.Text("KIND", 3), Column.Text("STATE", 0), Column.Text("LIFETIME", 9), Column.Number("MEMORY", 4, "memory"),
            Column.Number("SIZE", 8, "size"), Column.Number("ALIVE", 7, "alive"), Column.Number("DEAD", 6, "dead"), Column.Text("DEPTH", 0, "depth"),
            Column.Number("IN", 2, "in"), Column.Number("OUT", 5, "out"));
        foreach (RegionReport report in reports)
        {
            table.Add(
                new Cell(report.Name), new Cell(report.Kind), Styles.State(report.State), new Cell(Human.Lifetime(report.Lifetime)),
                new Cell(Human.Bytes(report.Memory)), new Cell(Human.Bytes(report.Size)),
                new Cell(Number(report.Alive)), new Cell(Number(report.Dead), report.Dead > 0 ? "yellow" : null),
                new Cell(report.DepthText), new Cell(report.Rate is { } rate ? Human.Rate(rate.In, rate.Unit) : ""),
                new Cell(report.Rate is { Out: { } rateOut } both ? Human.Rate(rateOut, both.Unit) : ""));
        }

        return table;
    }

    private static string Number(int number) => number == 0 ? "" : number.ToString(CultureInfo.InvariantCulture);
}
