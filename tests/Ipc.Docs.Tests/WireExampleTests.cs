using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>
/// The examples in hex of docs/wire-format.md and its pages are the bytes of the golden files (tests/vectors/regions), and leave none out that is not zero.
/// </summary>
/// <remarks>
/// Before such a block stands the comment <c>hex: FILE</c>, after which more words may follow. A line is an offset, the bytes from there on, and what they are; or two offsets, and what
/// lies in between, the second one excluded.
/// </remarks>
public sealed partial class WireExampleTests
{
    private static readonly string[] _examples = [.. Directory.EnumerateFiles(Repository.PathOf("tests/vectors/regions"), "*.region").Select(Path.GetFileNameWithoutExtension).Order()!];

    [Fact]
    public void EveryKindOfRegionIsShown()
    {
        IEnumerable<string> shown = Blocks().Select(static block => block.File).Distinct().Order();
        Assert.Equal(_examples.Except(["queue-grown"]), shown); // it differs from the queue in its chain alone
    }

    [Fact]
    public void TheBytesOfAnExampleAreThoseOfItsGoldenFile() => Assert.All(Blocks(), static block =>
    {
        byte[] golden = Golden(block.File);
        Assert.All(block.Lines, line => Assert.True(
            line.Bytes is null || golden.AsSpan(line.From, line.Bytes.Length).SequenceEqual(line.Bytes), $"{block.Page}, {block.File}: {line.From:x8}"));
    });

    /// <summary>An example explains each byte that is not zero: a stranger who sees one that nobody speaks of would have to look elsewhere.</summary>
    [Fact]
    public void NothingIsLeftOut()
    {
        foreach (IGrouping<string, Block> file in Blocks().GroupBy(static block => block.File))
        {
            byte[] rest = Golden(file.Key);
            foreach (Line line in file.SelectMany(static block => block.Lines))
                rest.AsSpan(line.From, line.To - line.From).Clear();
            int first = Array.FindIndex(rest, static value => value != 0);
            Assert.True(first < 0, $"{file.Key}: nothing says what stands at {first:x8}");
        }
    }

    /// <summary>The pseudo-code bears the labels of docs/memory-ordering.md, all of them but the one that is within a process.</summary>
    [Fact]
    public void TheLabelsAreThoseOfTheMemoryOrdering()
    {
        string page = Repository.Read("docs/memory-ordering.md");
        string shared = page[..page.IndexOf("## Between the threads of one process", StringComparison.Ordinal)];
        IEnumerable<string> known = KnownLabel().Matches(shared).Select(static match => match.Groups["label"].Value);
        IEnumerable<string> used = Pages().SelectMany(static page => Label().Matches(File.ReadAllText(page)).Select(static match => match.Groups["label"].Value));
        Assert.Equal(known.Except(["return"]).Order(), used.Distinct().Order());
    }

    private static byte[] Golden(string file) => File.ReadAllBytes(Repository.PathOf($"tests/vectors/regions/{file}.region"));

    private static IEnumerable<string> Pages() => [Repository.PathOf("docs/wire-format.md"), .. Directory.EnumerateFiles(Repository.PathOf("docs/wire-format"), "*.md")];

    private static IEnumerable<Block> Blocks() => Pages().SelectMany(static page => Marked().Matches(File.ReadAllText(page)).Select(match => new Block(
        Path.GetFileName(page),
        match.Groups["file"].Value,
        [.. match.Groups["lines"].Value.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(Read)])));

    private static Line Read(string line)
    {
        Match match = Shown().Match(line);
        Assert.True(match.Success, line);
        int from = Number(match.Groups["from"].Value);
        if (match.Groups["to"].Success)
            return new Line(from, Number(match.Groups["to"].Value), null);
        byte[] bytes = Convert.FromHexString(match.Groups["bytes"].Value.Replace(" ", "", StringComparison.Ordinal));
        return new Line(from, from + bytes.Length, bytes);
    }

    private static int Number(string text) => int.Parse(text, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    private sealed record Block(string Page, string File, Line[] Lines);

    private sealed record Line(int From, int To, byte[]? Bytes);

    [GeneratedRegex(@"^<!-- hex: (?<file>[a-z-]+)[^\n]* -->\n```text\n(?<lines>[^`]*)```", RegexOptions.Multiline)]
    private static partial Regex Marked();

    [GeneratedRegex(@"^(?<from>[0-9a-f]{8})(?:-(?<to>[0-9a-f]{8})|  (?<bytes>[0-9a-f]{2}(?: [0-9a-f]{2})*))  +\S")]
    private static partial Regex Shown();

    [GeneratedRegex(@"^\| `\[(?<label>[a-z-]+)\]` \|", RegexOptions.Multiline)]
    private static partial Regex KnownLabel();

    [GeneratedRegex(@"(?<![\w\]])\[(?<label>[a-z]+(?:-[a-z]+)*)\](?!\()")]
    private static partial Regex Label();
}
