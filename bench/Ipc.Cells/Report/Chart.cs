namespace Ipc.Matrix.Cells;

/// <summary>A picture with what it shows.</summary>
/// <param name="Name">Of its files, without an ending.</param>
/// <param name="Title">What it shows, in one line.</param>
/// <param name="Note">How to read it.</param>
/// <param name="Svg">The picture.</param>
/// <param name="Data">Its figures as CSV.</param>
internal sealed record Chart(string Name, string Title, string Note, string Svg, string Data);
