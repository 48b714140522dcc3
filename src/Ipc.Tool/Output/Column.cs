namespace Ipc.Tool;

/// <summary>A column of a <see cref="Listing"/>.</summary>
/// <param name="Title">Above the column.</param>
/// <param name="Rank">0: always shown. Of the others the one with the highest rank goes first where a window is too narrow.</param>
/// <param name="IsNumber">Stands to the right.</param>
/// <param name="Label">Before the value, where rows are stacked; nothing where the value says what it is.</param>
internal sealed record Column(string Title, int Rank, bool IsNumber = false, string Label = "")
{
    public static Column Text(string title, int rank, string label = "") => new(title, rank, IsNumber: false, label);

    public static Column Number(string title, int rank, string label) => new(title, rank, IsNumber: true, label);
}
