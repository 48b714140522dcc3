using System;
using System.Collections.Generic;
using System.Linq;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Ipc.Tool;

/// <summary>A table that stays readable in a narrow window.</summary>
/// <remarks>
/// Columns go by their rank, those without any value first, until the rest fits; a long name, the first column, is folded before it costs another column.
/// Where not even the columns of rank 0 fit beside each other, each row becomes a block of lines that has everything. Nothing is ever cut off.
/// </remarks>
internal sealed class Listing(params Column[] columns)
{
    private const int Gap = 2, NarrowestName = 12, WidestName = 24;
    private readonly List<Cell[]> _rows = [];

    public int Count => _rows.Count;

    public void Add(params Cell[] cells)
    {
        if (cells.Length != columns.Length)
            throw new ArgumentException($"{cells.Length} cells for {columns.Length} columns", nameof(cells));
        _rows.Add(cells);
    }

    /// <param name="width">Of the window; null: there is none to fit.</param>
    public IRenderable Fit(int? width) => Fit(width, int.MaxValue, out _);

    /// <param name="width">Of the window; null: there is none to fit.</param>
    /// <param name="room">Lines for rows.</param>
    /// <param name="shown">Rows that have found room: one at least.</param>
    public IRenderable Fit(int? width, int room, out int shown)
    {
        int[] natural = [.. columns.Select((column, at) => _rows.Select(row => row[at].Width).Append(column.Title.Length).Max())];
        List<int> kept = Keep(natural, width ?? int.MaxValue);
        int rest = kept.Skip(1).Sum(at => natural[at] + Gap);
        int name = width is null ? natural[0] : Math.Min(natural[0], width.Value - rest);
        return name >= Math.Min(natural[0], NarrowestName)
            ? Rows(kept, name, room, out shown)
            : Blocks(Math.Max(width!.Value, NarrowestName), room, out shown);
    }

    /// <summary>The columns that fit, or those that have to.</summary>
    private List<int> Keep(int[] natural, int width)
    {
        List<int> kept = [.. Enumerable.Range(0, columns.Length)];
        while (Math.Min(natural[0], WidestName) + kept.Skip(1).Sum(at => (long)natural[at] + Gap) > width)
        {
            int goes = kept.Where(at => columns[at].Rank > 0).OrderBy(IsUsed).ThenByDescending(at => columns[at].Rank).FirstOrDefault();
            if (goes == 0)
                break;
            kept.Remove(goes);
        }

        return kept;
    }

    private bool IsUsed(int column) => _rows.Any(row => row[column].Text.Length > 0);

    private Table Rows(List<int> kept, int name, int room, out int shown)
    {
        var table = new Table { Border = TableBorder.None, ShowRowSeparators = false };
        foreach (int at in kept)
        {
            var column = new TableColumn(new Markup("[bold]" + Markup.Escape(columns[at].Title) + "[/]")) { NoWrap = true, Padding = new Padding(0, 0, at == kept[^1] ? 0 : Gap, 0) };
            table.AddColumn(columns[at].IsNumber ? column.RightAligned() : column);
        }

        shown = 0;
        int lines = 0;
        foreach (Cell[] row in _rows)
        {
            List<string> pieces = Folding.Pieces(row[0].Text, name);
            lines += pieces.Count;
            if (lines > room && shown > 0)
                break;
            table.AddRow(kept.Select(at => new Markup(at == 0 ? string.Join('\n', pieces.Select(row[0].Markup)) : row[at].Markup(row[at].Text))));
            shown++;
        }

        return table;
    }

    private Rows Blocks(int width, int room, out int shown)
    {
        List<Markup> blocks = [];
        shown = 0;
        int lines = 0;
        foreach (Cell[] row in _rows)
        {
            List<string> block = Block(row, width);
            lines += block.Count;
            if (lines > room && shown > 0)
                break;
            blocks.AddRange(block.Select(static line => new Markup(line)));
            shown++;
        }

        return new Rows(blocks);
    }

    /// <summary>What is always shown, and behind it the rest, indented where a new line begins.</summary>
    private List<string> Block(Cell[] row, int width)
    {
        const string Indent = "  ";
        List<string> lines = [];
        string line = "";
        int taken = 0;
        foreach (int at in Enumerable.Range(0, columns.Length).Where(at => row[at].Text.Length > 0).OrderBy(at => columns[at].Rank > 0))
        {
            string text = columns[at].Label.Length > 0 ? $"{columns[at].Label} {row[at].Text.TrimStart()}" : row[at].Text.TrimStart();
            foreach (string piece in Folding.Lines(text, width - Indent.Length))
            {
                int columnsOfIt = Folding.WidthOf(piece);
                bool isNew = taken > 0 && taken + Gap + columnsOfIt > width;
                if (isNew)
                    lines.Add(line);
                string before = taken == 0 ? "" : Indent; // between two, or before the first of a line that is not the block's
                line = (isNew ? "" : line) + before + row[at].Markup(piece);
                taken = (isNew ? 0 : taken) + before.Length + columnsOfIt;
            }
        }

        lines.Add(line);
        return lines;
    }
}
