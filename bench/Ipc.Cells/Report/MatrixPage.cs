using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Ipc.Matrix.Cells;

/// <summary>docs/performance-matrix.md, all of it.</summary>
internal static class MatrixPage
{
    public static string Markdown(RunFile run, IReadOnlyList<Chart> charts)
    {
        StringBuilder text = new();
        text.Append("<!-- Written by bench/matrix.sh --docs from one run. Do not edit. -->\n# The measured matrix\n\n");
        text.Append("What each layer costs, over transports, serializers, sizes, batches and ways to wait. [Choosing](guide/choosing.md) says what follows from it, "
            + "[performance](performance.md#the-matrix) how it is measured. All of it on one page that needs no network: [charts/matrix.html](charts/matrix.html). "
            + "The run as it is: [charts/matrix-run.json](charts/matrix-run.json), [charts/matrix-run.csv](charts/matrix-run.csv).\n\n");
        foreach (string line in Provenance.Lines(run))
            text.Append(line).Append("\n\n");
        foreach (Chart chart in charts)
        {
            text.Append("## ").Append(chart.Title).Append("\n\n").Append(chart.Note).Append("\n\n![").Append(chart.Title).Append("](charts/").Append(chart.Name).Append(".svg)\n\n");
            text.Append("Figures: [").Append(chart.Name).Append(".csv](charts/").Append(chart.Name).Append(".csv)\n\n");
        }

        text.Append("## All cells\n");
        foreach (IGrouping<string, Result> mode in run.Cells.GroupBy(static cell => cell.Batch > 1 ? $"{cell.Mode}, batched" : cell.Mode))
            text.Append("\n### ").Append(mode.Key).Append("\n\n").Append(Tables.Markdown(mode));
        return text.ToString();
    }
}
