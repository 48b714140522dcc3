using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Architecture.Tests;

/// <summary>A synchronising pair of accesses carries the label under which docs/memory-ordering.md says what breaks without it.</summary>
public sealed partial class LabelTests
{
    private const string Core = "src/Ipc.Core", C = "src/Ipc.Native/src", Rpc = "src/Ipc.Rpc", Cpp = "src/Ipc.Native/include/ipc/rpc", Pipes = "src/Ipc.Pipelines", AspNetCore = "src/Ipc.AspNetCore";
    private const string InOneProcess = "## Between the threads of one process";
    private const int Above = 3, Below = 1; // lines around an access in which its label may stand: a store is followed by its fence

    [GeneratedRegex(@"^\| `(?<label>\[[a-z]+(-[a-z]+)*\])`", RegexOptions.Multiline)]
    private static partial Regex Row { get; }

    [GeneratedRegex(@"(//|/\*|^\s*\*)(?<comment>.*)$")]
    private static partial Regex Comment { get; }

    [GeneratedRegex(@"(?<!\w)\[[a-z]+(-[a-z]+)*\]")]
    private static partial Regex Label { get; }

    // What orders: with the field that it is done to, or a fence, which has none.
    [GeneratedRegex(@"\b(Volatile|Interlocked)\.\w+\((ref (\w+\.)*(?<field>\w+))?|\bOneSidedFence\.\w+\(|\bvolatile\b")]
    private static partial Regex CSharpAccess { get; }

    [GeneratedRegex(@"\b(?<field>\w+)(\.|->)(load|store|exchange|fetch_\w+|compare_exchange_\w+)\(|\batomic_(thread|signal)_fence\(")]
    private static partial Regex CppAccess { get; }

    [GeneratedRegex(@"\bstd::atomic(<[^;]*>|_\w+) (?<field>\w+)")]
    private static partial Regex CppDeclaration { get; }

    [GeneratedRegex(@"^\s+(private|public|protected|internal|static|readonly|\s)+[\w<>\[\]?,.]+ (?<field>_\w+)( =|;)")]
    private static partial Regex CSharpDeclaration { get; }

    [Theory]
    [InlineData(Core)]
    [InlineData(C)]
    public void TheLabelsOfSharedMemoryAreThoseOfThePage(string folder) =>
        Same([.. Page(shared: true).SelectMany(static table => table)], UsedIn(folder, ".cs", ".c", ".h"));

    [Fact]
    public void TheLabelsAndMarksBetweenThreadsAreThoseOfThePage()
    {
        HashSet<string>[] page = Page(shared: false);
        Assert.Equal(2, page.Length); // pairs, and what is none
        Same([.. page.SelectMany(static table => table)], [.. new[] { Rpc, Pipes, AspNetCore }.SelectMany(static folder => UsedIn(folder, ".cs")).Union(UsedIn(Cpp, ".hpp"))]);
    }

    [Theory]
    [InlineData(Rpc, 50)]
    [InlineData(Pipes, 30)]
    [InlineData(AspNetCore, 1)]
    public void EveryOrderingAccessBetweenThreadsHasALabelOrAMarkInCSharp(string folder, int atLeast) =>
        Assert.Empty(Unlabelled(folder, ".cs", atLeast, CSharpAccess, CSharpDeclaration, file => Path.GetDirectoryName(file) + "/" + Path.GetFileName(file).Split('.', '{')[0]));

    [Fact]
    public void EveryOrderingAccessOfTheCallsHasALabelOrAMarkInCpp() =>
        Assert.Empty(Unlabelled(Cpp, ".hpp", 50, CppAccess, CppDeclaration, static _ => ""));

    /// <summary>An atomic of C++ that is used like a plain variable orders without saying so.</summary>
    [Fact]
    public void NoAtomicOfTheCallsIsUsedLikeAPlainVariable()
    {
        IReadOnlyList<string> files = Repository.Files(Cpp, ".hpp");
        string[] fields = [.. files.SelectMany(File.ReadLines).Select(static line => CppDeclaration.Match(line)).Where(static match => match.Success)
            .Select(static match => match.Groups["field"].Value).Distinct()];
        Assert.True(fields.Length > 10, $"only {fields.Length} atomics were found");
        Assert.Empty(files.SelectMany(file => File.ReadLines(file)
            .Where(line => fields.Any(field => Regex.IsMatch(line, $@"\b{field} (=|\|\||&&)|(\+\+|--){field}\b|[(!] ?{field}\)|return {field};")) && DeclaresIn(file, line, fields))
            .Select(line => $"{Path.GetFileName(file)}: {line.Trim()}")));
    }

    // Names are not unique: only where the atomic itself is declared.
    private static bool DeclaresIn(string file, string line, string[] fields) =>
        fields.Where(field => Regex.IsMatch(line, $@"\b{field}\b")).Any(field => Regex.IsMatch(File.ReadAllText(file), $@"std::atomic<[^;]*> {field}\b"));

    private static List<string> Unlabelled(string folder, string extension, int atLeast, Regex access, Regex declaration, Func<string, string> typeOf)
    {
        HashSet<string> pairs = Page(shared: false)[0], marks = Page(shared: false)[1];
        HashSet<(string Type, string Field)> marked = [];
        IReadOnlyList<string> files = Repository.Files(folder, extension);
        foreach (string file in files)
        {
            foreach (string line in File.ReadLines(file))
            {
                if (declaration.Match(line) is { Success: true } found && LabelsOf(line).Any(label => marks.Contains(label) || pairs.Contains(label)))
                    marked.Add((typeOf(file), found.Groups["field"].Value));
            }
        }

        List<string> wrong = [];
        int accesses = 0;
        foreach (string file in files.Where(static file => Path.GetFileName(file) != "OneSidedFence.cs")) // what the fences of [rouse] are made of
        {
            string[] lines = File.ReadAllLines(file);
            for (int i = 0; i < lines.Length; i++)
            {
                foreach (Match match in access.Matches(lines[i].Split("//")[0]))
                {
                    accesses++;
                    string field = match.Groups["field"].Value;
                    if (!marked.Contains((typeOf(file), field)) && !lines[Math.Max(0, i - Above)..Math.Min(lines.Length, i + 1 + Below)].SelectMany(LabelsOf).Any(pairs.Contains)
                        && !LabelsOf(lines[i]).Any(marks.Contains))
                        wrong.Add($"{Path.GetFileName(file)}:{i + 1}: {lines[i].Trim()}");
                }
            }
        }

        Assert.True(accesses >= atLeast, $"only {accesses} accesses were found");
        return wrong;
    }

    /// <summary>The labels of the page, a set for each of its tables.</summary>
    private static HashSet<string>[] Page(bool shared)
    {
        string[] sections = File.ReadAllText(Repository.PathOf("docs/memory-ordering.md")).Split(InOneProcess);
        Assert.Equal(2, sections.Length);
        string text = shared ? sections[0] : sections[1].Split("\n## ")[0];
        HashSet<string>[] tables = [.. text.Split("|---").Select(static table => Row.Matches(table).Select(static match => match.Groups["label"].Value).ToHashSet()).Where(static table => table.Count != 0)];
        Assert.NotEmpty(tables);
        return tables;
    }

    private static HashSet<string> UsedIn(string folder, params string[] extensions) =>
        [.. Repository.Files(folder, extensions).SelectMany(File.ReadLines).SelectMany(LabelsOf)];

    private static IEnumerable<string> LabelsOf(string line) =>
        Comment.Match(line) is { Success: true } match ? Label.Matches(match.Groups["comment"].Value).Select(static label => label.Value) : [];

    private static void Same(HashSet<string> known, HashSet<string> used) =>
        Assert.True(known.SetEquals(used), $"only on the page: {string.Join(' ', known.Except(used))}; only in the sources: {string.Join(' ', used.Except(known))}");
}
