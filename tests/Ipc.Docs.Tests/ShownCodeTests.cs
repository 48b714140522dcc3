using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>
/// What the documents show is what the compiler has seen: behind <c>&lt;!-- snippet: FILE#REGION --&gt;</c> stands a code block that equals the lines between
/// "snippet: REGION" and "end-snippet" of FILE. IPC_UPDATE_SNIPPETS=1 writes the blocks anew.
/// </summary>
public partial class ShownCodeTests
{
    [Fact]
    public void EveryBlockShowsItsRegion()
    {
        List<string> bad = [];
        int count = 0;
        foreach (string document in Repository.Documents())
        {
            string text = Repository.Read(document);
            string fresh = Marker().Replace(text, marker =>
            {
                count++;
                try
                {
                    string source = marker.Groups["file"].Value;
                    return $"{marker.Groups["marker"].Value}\n```{Language(source)}\n{Region(Repository.Read(source), marker.Groups["region"].Value)}```\n";
                }
                catch (Exception gone) when (gone is IOException or InvalidOperationException)
                {
                    bad.Add($"{document}: {marker.Groups["marker"].Value}: {gone.Message}");
                    return marker.Value;
                }
            });
            if (fresh == text)
                continue;
            if (Environment.GetEnvironmentVariable("IPC_UPDATE_SNIPPETS") == "1")
                File.WriteAllText(Repository.PathOf(document), fresh);
            else
                bad.Add($"{document}: {FirstDifference(text, fresh)}; IPC_UPDATE_SNIPPETS=1 writes it anew");
        }

        Assert.True(bad.Count == 0, string.Join('\n', bad));
        Assert.True(count > 100, $"only {count} blocks were found");
    }

    [Fact]
    public void EveryMarkerHasItsBlock()
    {
        foreach (string document in Repository.Documents())
        {
            string text = Repository.Read(document);
            Assert.Equal((document, text.Split('\n').Count(static line => line.StartsWith("<!-- snippet: ", StringComparison.Ordinal))), (document, Marker().Count(text)));
        }
    }

    /// <summary>In the guide there is no code that no compiler has seen, but for what is marked as text.</summary>
    [Fact]
    public void AllCodeOfTheGuideIsARegion()
    {
        List<string> bad = [];
        foreach (string document in Repository.Documents().Where(static file => file.StartsWith("docs/guide/", StringComparison.Ordinal) || file.StartsWith("docs/quickstart/", StringComparison.Ordinal)))
        {
            bool isInside = false;
            string before = "";
            foreach ((int index, string line) in Repository.Read(document).Split('\n').Index())
            {
                if (line.StartsWith("```", StringComparison.Ordinal))
                {
                    if (!isInside && line is not ("```text" or "```proto") && !before.StartsWith("<!-- snippet: ", StringComparison.Ordinal))
                        bad.Add($"{document}:{index + 1}: put <!-- snippet: FILE#REGION --> before it, or mark it as text");
                    isInside = !isInside;
                }

                before = line.Length == 0 ? before : line;
            }
        }

        Assert.True(bad.Count == 0, string.Join('\n', bad));
    }

    [Fact]
    public void ARegionLosesTheIndentationOfAllItsLines()
        => Assert.Equal("if (a)\n\n    b();\n", Region("x\n    // snippet: one\n    if (a)\n   \n        b();\n    // end-snippet\n    // snippet: one-more\n", "one"));

    private static string Region(string text, string name)
    {
        string[] lines = [.. text.Split('\n').SkipWhile(line => !Regex.IsMatch(line, $@"[^a-z-]snippet: {Regex.Escape(name)}(\s*-->)?\s*$")).Skip(1)];
        int end = Array.FindIndex(lines, static line => line.Contains("end-snippet", StringComparison.Ordinal));
        if (end < 0)
            throw new InvalidOperationException($"there is no region {name}");
        string[] shown = [.. lines.Take(end).Select(static line => line.TrimEnd().Length == 0 ? "" : line)];
        int indent = shown.Where(static line => line.Length != 0).Select(static line => line.Length - line.TrimStart(' ').Length).DefaultIfEmpty().Min();
        return string.Concat(shown.Select(line => (line.Length == 0 ? "" : line[indent..]) + "\n"));
    }

    private static string Language(string file) => Path.GetExtension(file) switch { ".cs" => "csharp", ".csproj" => "xml", ".txt" => "cmake", var other => other[1..] };

    private static string FirstDifference(string text, string fresh)
        => text.Split('\n').Zip(fresh.Split('\n')).Select(static (pair, index) => (pair, index)).First(static each => each.pair.First != each.pair.Second) is var (pair, index)
            ? $"line {index + 1} shows \"{pair.First}\" and the source has \"{pair.Second}\"" : "";

    [GeneratedRegex(@"(?<marker>^<!-- snippet: (?<file>[^#\n]+)#(?<region>\S+) -->)\n+```[^\n]*\n(?:(?!```)[^\n]*\n)*```\n", RegexOptions.Multiline)]
    private static partial Regex Marker();
}
