using System.Collections.Generic;
using System.IO;

namespace Ipc.Matrix.Cells;

/// <summary>Everything that is generated from a run.</summary>
internal static class Docs
{
    /// <exception cref="System.FormatException">The run lacks a cell that a chart or a sentence needs; nothing has been written.</exception>
    public static IReadOnlyList<string> Write(RunFile run, string folder)
    {
        IReadOnlyList<Chart> charts = Charts.Of(run);
        List<(string Path, string Text)> files =
        [
            ("performance-matrix.md", MatrixPage.Markdown(run, charts)),
            ("charts/matrix.html", Page.Html(run, charts)),
            ("guide/choosing.md", new Choosing(run).Markdown()),
            ("charts/matrix-run.csv", Tables.Csv(run)),
        ];
        foreach (Chart chart in charts)
        {
            files.Add(($"charts/{chart.Name}.svg", chart.Svg.TrimEnd() + "\n"));
            files.Add(($"charts/{chart.Name}.csv", chart.Data));
        }

        Directory.CreateDirectory(Path.Combine(folder, "guide"));
        Directory.CreateDirectory(Path.Combine(folder, "charts"));
        List<string> written = [];
        foreach ((string path, string text) in files)
        {
            string place = Path.Combine(folder, path);
            File.WriteAllText(place, text);
            written.Add(place);
        }

        string raw = Path.Combine(folder, "charts/matrix-run.json");
        run.Write(raw);
        written.Add(raw);
        return written;
    }
}
