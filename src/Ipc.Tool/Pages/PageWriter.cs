using System;
using Spectre.Console;

namespace Ipc.Tool;

/// <summary>Writes lines of a name and a value, under headings.</summary>
internal sealed class PageWriter(Terminal terminal)
{
    private const int NameWidth = 22, NarrowestValue = 36;
    private const string Indent = "      ";

    public void Heading(string text)
    {
        terminal.Out.WriteLine();
        terminal.Console.MarkupLine("[bold]" + Markup.Escape(Tame.Line(text)) + "[/]");
    }

    /// <summary>A value that does not fit beside its name goes on below itself, or stands below its name where the window is narrow.</summary>
    public void Line(string name, string? value)
    {
        if (value is null)
            return;
        string start = ("  " + name).PadRight(NameWidth), text = Tame.Line(value);
        int room = (terminal.Width ?? int.MaxValue) - NameWidth;
        bool isBeside = Folding.WidthOf(text) <= room || room >= NarrowestValue;
        if (!isBeside)
            terminal.Out.WriteLine(start.TrimEnd());
        foreach (string line in isBeside ? Folding.Lines(text, room) : Folding.Lines(text, Math.Max(1, terminal.Width!.Value - Indent.Length)))
        {
            terminal.Out.WriteLine((isBeside ? start : Indent) + line);
            start = new string(' ', NameWidth);
        }
    }

    public void Table(Listing rows) => terminal.Console.Write(rows.Fit(terminal.Width));
}
