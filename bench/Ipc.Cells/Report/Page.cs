using System;
using System.Collections.Generic;
using System.Globalization;
using System.Net;
using System.Text;

namespace Ipc.Matrix.Cells;

/// <summary>The page that needs nothing but itself: every chart is in it, nothing is fetched.</summary>
internal static class Page
{
    private const string Style = """
        body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222}
        img{width:100%;height:auto}figure{margin:2rem 0}figcaption{color:#555}
        table{border-collapse:collapse;font-size:.8rem}th,td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd}
        th:first-child,td:first-child{text-align:left}.wide{overflow-x:auto}.unstable{color:#a00}
        """;

    public static string Html(RunFile run, IReadOnlyList<Chart> charts)
    {
        StringBuilder html = new();
        html.Append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n");
        html.Append("<title>The measured matrix</title>\n<style>\n").Append(Style).Append("\n</style>\n</head>\n<body>\n<h1>The measured matrix</h1>\n");
        foreach (string line in Provenance.Lines(run))
            html.Append("<p>").Append(Text(line)).Append("</p>\n");
        foreach (Chart chart in charts)
        {
            // As an image each has names of its own: clip paths of two pictures in one document would be taken for each other's.
            string data = Convert.ToBase64String(Encoding.UTF8.GetBytes(chart.Svg));
            html.Append("<figure class=\"chart\" id=\"").Append(chart.Name).Append("\">\n<h2>").Append(Text(chart.Title)).Append("</h2>\n<img alt=\"").Append(Text(chart.Title));
            html.Append("\" src=\"data:image/svg+xml;base64,").Append(data).Append("\">\n<figcaption>").Append(Text(chart.Note)).Append("</figcaption>\n");
            html.Append("<details><summary>figures</summary>\n<pre>").Append(Text(chart.Data)).Append("</pre></details>\n</figure>\n");
        }

        html.Append("<h2>All cells</h2>\n<div class=\"wide\"><table>\n<tr><th>cell</th><th>p50 us</th><th>p99</th><th>p99.9</th><th>max</th><th>messages/s</th><th>MB/s</th>"
            + "<th>processor us</th><th>sleeps</th><th>spread</th></tr>\n");
        foreach (Result cell in run.Cells)
        {
            html.Append(cell.IsUnstable ? "<tr class=\"unstable\"><td>" : "<tr><td>").Append(Text(cell.Cell.Name));
            foreach (double value in new[] { cell.P50, cell.P99, cell.P999, cell.Max, cell.MessagesPerSecond, cell.MegabytesPerSecond, cell.ProcessorPerMessage, cell.SleepsPerMessage })
                html.Append("</td><td>").Append(Tables.Short(value));
            html.Append("</td><td>").Append(cell.Spread.ToString("P0", CultureInfo.InvariantCulture)).Append("</td></tr>\n");
        }

        return html.Append("</table></div>\n</body>\n</html>\n").ToString();
    }

    private static string Text(string text) => WebUtility.HtmlEncode(text);
}
