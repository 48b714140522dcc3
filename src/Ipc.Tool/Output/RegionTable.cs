using System.Collections.Generic;
using System.Globalization;
using Spectre.Console;

namespace Ipc.Tool;

/// <summary>Regions, one per line: for ls and top.</summary>
internal static class RegionTable
{
    public static Table Of(IEnumerable<RegionReport> reports)
    {
        Table table = Styles.Table("NAME", "KIND", "STATE", "LIFETIME", "MEMORY>", "SIZE>", "ALIVE>", "DEAD>", "DEPTH", "IN>", "OUT>");
        foreach (RegionReport report in reports)
        {
            table.AddRow(
                Styles.Cell(report.Name), Styles.Cell(report.Kind), Styles.State(report.State), Styles.Cell(Human.Lifetime(report.Lifetime)),
                Styles.Cell(Human.Bytes(report.Memory)), Styles.Cell(Human.Bytes(report.Size)),
                Styles.Cell(Number(report.Alive)), Styles.Cell(Number(report.Dead), report.Dead > 0 ? "yellow" : null),
                Styles.Cell(report.DepthText), Styles.Cell(report.Rate is { } rate ? Human.Rate(rate.In, rate.Unit) : ""),
                Styles.Cell(report.Rate is { Out: { } rateOut } both ? Human.Rate(rateOut, both.Unit) : ""));
        }

        return table;
    }

    private static string Number(int number) => number == 0 ? "" : number.ToString(CultureInfo.InvariantCulture);
}
