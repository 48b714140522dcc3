using System.Collections.Generic;

namespace Ipc.Matrix.Cells;

/// <summary>A line or a colour of bars.</summary>
internal sealed record Series(string Label, IReadOnlyList<(double X, double Y)> Points);
