using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using ScottPlot;

namespace Ipc.Matrix.Cells;

/// <summary>The two sorts of pictures, drawn by ScottPlot: both have a logarithmic axis, because what is compared differs by powers of ten.</summary>
internal static class Drawing
{
    private const string Font = "DejaVu Sans"; // where it is not there the library takes another
    private const int Width = 900, Height = 520;
    private const int RowHeight = 22, Around = 130; // of bars

    /// <summary>Lines over <paramref name="ticks"/>; a missing figure is a gap.</summary>
    public static string Lines(string x, string y, IReadOnlyList<(double Place, string Label)> ticks, bool isLogX, IReadOnlyList<Series> all)
    {
        Plot plot = new();
        foreach ((int index, Series series) in all.Index())
        {
            ScottPlot.Plottables.Scatter line = plot.Add.Scatter(
                series.Points.Select(point => isLogX ? Math.Log10(point.X) : point.X).ToArray(), series.Points.Select(static point => Math.Log10(point.Y)).ToArray());
            line.LegendText = series.Label;
            line.LineWidth = 2;
            line.MarkerSize = 6;
            line.MarkerShape = index < Colors.Category10.Length ? MarkerShape.FilledCircle : MarkerShape.FilledSquare; // colours come again
        }

        plot.Axes.Bottom.TickGenerator = new ScottPlot.TickGenerators.NumericManual(
            ticks.Select(tick => isLogX ? Math.Log10(tick.Place) : tick.Place).ToArray(), ticks.Select(static tick => tick.Label).ToArray());
        plot.Axes.Left.TickGenerator = Decades(all.SelectMany(static series => series.Points).Select(static point => point.Y));
        plot.Font.Set(Font);
        plot.XLabel(x);
        plot.YLabel(y);
        plot.ShowLegend(Edge.Right);
        return plot.GetSvgXml(Width, Height);
    }

    /// <summary>Horizontal bars, the first on top; of several series those of one row beside each other.</summary>
    public static string Bars(string x, IReadOnlyList<string> rows, IReadOnlyList<Series> all)
    {
        Plot plot = new();
        double least = Math.Floor(all.SelectMany(static series => series.Points).Min(static point => Math.Log10(point.Y)));
        double step = 0.8 / all.Count;
        for (int i = 0; i < all.Count; i++)
        {
            Color colour = Colors.Category10[i % Colors.Category10.Length];
            double shift = (i - (all.Count - 1) / 2.0) * step;
            Bar[] bars = all[i].Points.Select(point => new Bar
            {
                Position = -point.X - shift,
                Value = Math.Log10(point.Y),
                ValueBase = least,
                Size = step * 0.9,
                Orientation = Orientation.Horizontal,
                FillColor = colour,
                LineColor = colour,
                Label = Tables.Short(point.Y),
            }).ToArray();
            ScottPlot.Plottables.BarPlot plotted = plot.Add.Bars(bars);
            plotted.Horizontal = true;
            plotted.LegendText = all[i].Label;
        }

        plot.Axes.Left.TickGenerator = new ScottPlot.TickGenerators.NumericManual(rows.Select(static (_, row) => -(double)row).ToArray(), [.. rows]);
        plot.Axes.Bottom.TickGenerator = Decades(all.SelectMany(static series => series.Points).Select(static point => point.Y));
        plot.Font.Set(Font);
        plot.XLabel(x);
        plot.HideGrid();
        double most = Math.Ceiling(all.SelectMany(static series => series.Points).Max(static point => Math.Log10(point.Y)) + 0.2);
        plot.Axes.SetLimits(least, most, -rows.Count + 0.4, 0.6);
        if (all.Count > 1)
            plot.ShowLegend(Edge.Right);
        return plot.GetSvgXml(Width, Around + rows.Count * Math.Max(RowHeight, 14 * all.Count));
    }

    /// <summary>What is drawn: a column for each series.</summary>
    public static string Data(string head, IReadOnlyList<string> rows, IReadOnlyList<Series> all, Func<int, double> place)
    {
        StringBuilder text = new(head);
        foreach (Series series in all)
            text.Append(',').Append(series.Label.Replace(",", "", StringComparison.Ordinal));
        text.Append('\n');
        for (int row = 0; row < rows.Count; row++)
        {
            text.Append(rows[row].Replace(",", "", StringComparison.Ordinal));
            foreach (Series series in all)
            {
                text.Append(',');
                foreach ((double x, double y) in series.Points)
                {
                    if (x == place(row))
                        text.Append(y.ToString("0.######", CultureInfo.InvariantCulture));
                }
            }

            text.Append('\n');
        }

        return text.ToString();
    }

    private static ScottPlot.TickGenerators.NumericManual Decades(IEnumerable<double> values)
    {
        double[] logs = values.Select(Math.Log10).ToArray();
        int[] powers = Enumerable.Range((int)Math.Floor(logs.Min()), (int)Math.Ceiling(logs.Max()) - (int)Math.Floor(logs.Min()) + 2).ToArray();
        return new ScottPlot.TickGenerators.NumericManual(
            powers.Select(static power => (double)power).ToArray(), powers.Select(static power => Math.Pow(10, power).ToString("#,0.####", CultureInfo.InvariantCulture)).ToArray());
    }
}
