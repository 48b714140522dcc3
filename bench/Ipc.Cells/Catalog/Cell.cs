using System;
using System.Globalization;

namespace Ipc.Matrix.Cells;

/// <summary>One line of the catalogue: what is measured together.</summary>
/// <param name="Transport">What carries the bytes: one of <see cref="Transports"/>.</param>
/// <param name="Serializer">Who writes them; "none" for bytes as they are.</param>
/// <param name="Shape">The name of a <see cref="Cells.Shape"/>.</param>
/// <param name="Mode">"request": an answer for each; "stream": one asks, the other sends.</param>
/// <param name="Batch">Messages that are published together.</param>
/// <param name="Pair">The languages of the measuring and the answering process.</param>
/// <param name="Wait">How both wait: "spin", "adaptive", "block".</param>
internal sealed record Cell(string Transport, string Serializer, string Shape, string Mode, int Batch, string Pair, string Wait)
{
    private const int Parts = 7;

    public bool IsStream => Mode == "stream";

    public bool IsBatched => Batch > 1;

    /// <summary>Unique: every dimension, with slashes between.</summary>
    public string Name => string.Join('/', Transport, Serializer, Shape, Mode, Batch.ToString(CultureInfo.InvariantCulture), Pair, Wait);

    /// <summary>Cells with the same are measured by the same two processes.</summary>
    public string Group => string.Join('/', Transport, Pair, Wait, SerializerOfGroup);

    /// <summary>Part of the connection, where a client chooses a serializer for all of its calls.</summary>
    private string SerializerOfGroup => Transports.HoldsSerializer(Transport) ? Serializer : "";

    /// <exception cref="FormatException">It is no cell's name.</exception>
    public static Cell Parse(string name)
    {
        string[] parts = name.Split('/');
        return parts.Length == Parts && int.TryParse(parts[4], NumberStyles.None, CultureInfo.InvariantCulture, out int batch)
            ? new Cell(parts[0], parts[1], parts[2], parts[3], batch, parts[5], parts[6])
            : throw new FormatException($"'{name}' is no cell.");
    }

    public override string ToString() => Name;
}
