using System;
using System.Collections.Generic;
using System.Linq;

namespace Ipc.Matrix.Cells;

/// <summary>How many messages make a round, and how many bytes a request and a response have.</summary>
internal sealed record Shape(string Name, int Count, int Request, int Response)
{
    private const int FieldCount = 4;

    public static IReadOnlyList<Shape> All { get; } =
    [
        new("0.1K-1K", 2000, 100, 1_000),
        new("1K-10K", 1000, 1_000, 10_000),
        new("50K-500K", 20, 50_000, 500_000),
        new("100K-1M", 10, 100_000, 1_000_000),
        new("400K-2M", 5, 400_000, 2_000_000),
        new("oneway-0.1K", 2000, 100, 100),
        new("oneway-3K", 2000, 100, 3_000),
    ];

    /// <summary>A shape that is sent one way only: there is no answer to wait for.</summary>
    public bool IsOneWay => Name.StartsWith("oneway", StringComparison.Ordinal);

    /// <summary>Of ten bytes in protobuf each, beside the name, the number and the fields.</summary>
    public int Ids => (Request - 10 - 6 * Fields) / 10;

    public int Fields => IsOneWay ? 1 : FieldCount;

    /// <summary>Characters of a value: with tag and length of protobuf it makes the response as long as it says.</summary>
    public int ValueLength => Math.Max(4, (Response - 12) / (Ids * Fields) - 2);

    public static Shape Of(string name) => All.FirstOrDefault(shape => shape.Name == name) ?? throw new FormatException($"There is no shape '{name}'.");
}
