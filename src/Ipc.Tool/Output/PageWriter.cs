using Spectre.Console;

namespace Ipc.Tool;

/// <summary>Writes lines of a name and a value, under headings.</summary>
internal sealed class PageWriter(Terminal terminal)
{
    private const int NameWidth = 22;

    public void Heading(string text)
    {
        terminal.Out.WriteLine();
        terminal.Console.MarkupLine("[bold]" + Markup.Escape(Tame.Line(text)) + "[/]");
    }

    public void Line(string name, string? value)
    {
        if (value is not null)
            terminal.Out.WriteLine(("  " + name).PadRight(NameWidth) + Tame.Line(value));
    }
}
