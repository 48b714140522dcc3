using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace Ipc.Docs.Tests.Promises;

/// <summary>Splits a document into its units, and says which of them promise something: the rule that docs/promises.md states.</summary>
internal static partial class Pages
{
    /// <summary>The documents, by the name that docs/promises.md calls them.</summary>
    public static readonly IReadOnlyDictionary<string, string> Files = new Dictionary<string, string>
    {
        ["README"] = "README.md",
        ["SECURITY"] = "SECURITY.md",
        ["failure-model"] = "docs/failure-model.md",
        ["rpc-protocol"] = "docs/rpc-protocol.md",
    };

    /// <summary>Who uses one of these words outside of code promises something. Verbatim in docs/promises.md.</summary>
    public const string Words = "all, alone, always, any, at most, at once, bounded, bounds, cannot, closed, do not, does not, dropped, each, ends, every, exactly, however, "
        + "may not, must not, neither, never, no, nobody, none, nothing, only, refused, whatever, works";

    /// <summary>Tables of which each row promises something, whatever its words.</summary>
    public static readonly IReadOnlyList<string> Tables = ["SECURITY: Threat model", "failure-model", "rpc-protocol: 3. Errors"];

    /// <summary>Headings below which everything promises something.</summary>
    public static readonly IReadOnlyList<string> Sections =
        ["README: Guarantees", "README: How it is tested", "SECURITY: How it is checked", "rpc-protocol: 2. Life of a call", "rpc-protocol: How the C# side keeps it", "rpc-protocol: Credit", "rpc-protocol: Read"];

    private static readonly Regex Promising = new($@"\b({Words.Replace(", ", "|", StringComparison.Ordinal)})\b", RegexOptions.IgnoreCase);

    public static List<Unit> All() => [.. Files.SelectMany(static file => Split(file.Key, Repository.Read(file.Value)))];

    public static bool Promises(Unit unit)
        => Sections.Contains(unit.Where) || (unit.IsRow && Tables.Any(table => unit.Where == table || table == unit.Where[..unit.Where.IndexOf(':')])) || Promising.IsMatch(Code().Replace(unit.Text, ""));

    public static List<Unit> Split(string name, string text)
    {
        List<Unit> units = [];
        List<string> open = []; // the lines of the bullet or paragraph that is being read
        string where = name;
        bool bullet = false, code = false;
        string[] lines = text.Split('\n');
        for (int i = 0; i < lines.Length; i++)
        {
            string line = lines[i].TrimEnd();
            bool fence = line.TrimStart().StartsWith("```", StringComparison.Ordinal), row = line.StartsWith('|');
            bool ends = fence || row || line.Length == 0 || line.StartsWith('#') || line.StartsWith("<!--", StringComparison.Ordinal);
            if (ends || line.StartsWith("- ", StringComparison.Ordinal))
                Close();
            if (fence)
                code = !code;
            if (fence || code)
                continue;
            if (line.StartsWith('#'))
                where = $"{name}: {line.TrimStart('#').Trim()}";
            else if (row && !IsRule(line) && !(i + 1 < lines.Length && IsRule(lines[i + 1])))
                Add(true, string.Join(" / ", Cells(line)));
            else if (!ends)
                Take(line);
        }

        Close();
        return units;

        void Take(string line)
        {
            if (open.Count == 0)
                bullet = line.StartsWith("- ", StringComparison.Ordinal);
            open.Add(open.Count == 0 && bullet ? line[2..].Trim() : line.Trim());
        }

        void Close()
        {
            string whole = string.Join(' ', open);
            open.Clear();
            foreach (string sentence in whole.Length == 0 ? [] : bullet ? [whole] : Sentences().Split(whole))
                Add(false, sentence);
        }

        void Add(bool isRow, string text) => units.Add(new Unit(where, isRow, Link().Replace(text, "$1")));
    }

    /// <summary>The cells of a row.</summary>
    public static IEnumerable<string> Cells(string row) => row.Trim().Trim('|').Split('|').Select(static cell => cell.Trim());

    private static bool IsRule(string line) => line.StartsWith("|--", StringComparison.Ordinal);

    /// <summary>A link is its text: a quote of it elsewhere would lead nowhere.</summary>
    [GeneratedRegex(@"\[([^\]]*)\]\([^)]*\)")]
    private static partial Regex Link();

    [GeneratedRegex("`[^`]*`")]
    private static partial Regex Code();

    /// <summary>Between two sentences, but not within code.</summary>
    [GeneratedRegex(@"(?<=[.!?]\)?)\s+(?=[A-Z`*\[(])(?=(?:[^`]*`[^`]*`)*[^`]*$)")]
    private static partial Regex Sentences();
}
