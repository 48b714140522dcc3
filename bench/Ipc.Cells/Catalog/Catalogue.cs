using System.Collections.Generic;
using System.IO;
using System.IO.Enumeration;
using System.Linq;

namespace Ipc.Matrix.Cells;

/// <summary>Every cell there is: the product of the dimensions, without what a rule leaves out.</summary>
internal static class Catalogue
{
    public static IReadOnlyList<string> Serializers { get; } = ["none", "generated", "google", "protobuf-net", "messagepack", "memorypack", "json"];

    public static IReadOnlyList<string> Modes { get; } = ["request", "stream"];

    public static IReadOnlyList<int> Batches { get; } = [1, 5, 50, Rules.Portion, 5000];

    public static IReadOnlyList<string> Pairs { get; } = ["cs-cs", "cpp-cs"];

    public static IReadOnlyList<string> Waits { get; } = ["spin", "adaptive", "block"];

    /// <summary>How a program waits that sets nothing.</summary>
    public static string DefaultWait(string transport) =>
        Transports.Ours.Contains(transport) || transport.EndsWith("-ipc", System.StringComparison.Ordinal) ? "adaptive" : "block";

    /// <summary>The product, with the cells that make no sense.</summary>
    public static IEnumerable<Cell> Product() =>
        from transport in Transports.All
        from pair in Pairs
        from wait in Waits
        from serializer in Serializers
        from shape in Shape.All
        from mode in Modes
        from batch in Batches
        select new Cell(transport, serializer, shape.Name, mode, batch, pair, wait);

    /// <summary>What a run measures, in the order in which it does: cells of the same two processes follow each other.</summary>
    /// <param name="quick">Without what is left to a full run.</param>
    /// <param name="pattern">Matches names: "*" for all, "ring/*", several with commas between.</param>
    public static Cell[] Choose(bool quick, string pattern) => [.. Matching(pattern).Where(cell => Rules.Of(cell, quick) is null)];

    /// <summary>For a person: the cells, then each rule with the number of cells that it leaves out, and why.</summary>
    public static void List(TextWriter to, bool quick, string pattern)
    {
        Cell[] cells = Choose(quick, pattern);
        foreach (Cell cell in cells)
            to.WriteLine(cell.Name);
        to.WriteLine();
        Dictionary<Rule, int> leftOut = Matching(pattern)
            .Select(cell => Rules.Of(cell, quick)).OfType<Rule>().CountBy(static rule => rule).ToDictionary();
        foreach (Rule rule in Rules.Sense.Concat(quick ? Rules.Quick : []))
            to.WriteLine($"{leftOut.GetValueOrDefault(rule),6} left out by {rule.Name}: {rule.Reason}");
        to.WriteLine($"{cells.Length} cells of {Product().Count()}");
    }

    private static IEnumerable<Cell> Matching(string pattern)
    {
        string[] patterns = pattern.Split(',');
        return Product().Where(cell => patterns.Any(one => FileSystemName.MatchesSimpleExpression(one, cell.Name)));
    }
}
