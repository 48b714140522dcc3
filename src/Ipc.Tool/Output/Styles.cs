using Spectre.Console;

namespace Ipc.Tool;

/// <summary>How tables look.</summary>
internal static class Styles
{
    public static Table Table(params string[] columns)
    {
        var table = new Table { Border = TableBorder.None, ShowRowSeparators = false };
        foreach (string column in columns)
        {
            bool isNumber = column.EndsWith('>');
            var added = new TableColumn(new Markup("[bold]" + Markup.Escape(column.TrimEnd('>')) + "[/]")) { NoWrap = true, Padding = new Padding(0, 0, 2, 0) };
            table.AddColumn(isNumber ? added.RightAligned() : added);
        }

        return table;
    }

    public static Markup Cell(string? text, string? style = null)
    {
        string escaped = Markup.Escape(Tame.Line(text ?? ""));
        return new Markup(style is null ? escaped : $"[{style}]{escaped}[/]");
    }

    public static Markup State(RegionState state)
    {
        string text = Name(state);
        return state switch
        {
            RegionState.Live => Cell(text, "green"),
            RegionState.Damaged or RegionState.Unreadable => Cell(text, "red"),
            RegionState.LeftOver or RegionState.Retired => Cell(text, "yellow"),
            _ => Cell(text),
        };
    }

    public static string Name(RegionState state) => state switch
    {
        RegionState.LeftOver => "left-over",
        RegionState.OtherVersion => "other version",
        _ => state.ToString().ToLowerInvariant(),
    };
}
