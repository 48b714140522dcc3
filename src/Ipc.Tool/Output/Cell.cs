using Spectre.Console;

namespace Ipc.Tool;

/// <summary>A value in a <see cref="Listing"/>: one line, tame.</summary>
internal readonly record struct Cell
{
    public Cell(string? text, string? style = null)
    {
        Text = Tame.Line(text ?? "");
        Style = style;
    }

    public string Text { get; }

    public string? Style { get; }

    public int Width => Folding.WidthOf(Text);

    /// <summary>As the console draws it.</summary>
    public string Markup(string text) => Style is null ? Spectre.Console.Markup.Escape(text) : $"[{Style}]{Spectre.Console.Markup.Escape(text)}[/]";
}
