using System.Text.Json.Serialization;

namespace Ipc.Matrix.Cells;

/// <summary>A cell that could not be measured, and why.</summary>
internal sealed record Failure([property: JsonPropertyName("cell")] string Cell, [property: JsonPropertyName("reason")] string Reason);
