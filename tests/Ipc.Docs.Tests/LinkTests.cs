using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>What the documents name is there.</summary>
public partial class LinkTests
{
    [Fact]
    public void EveryRelativeLinkLeadsToAFile()
    {
        List<string> bad = [];
        int count = 0;
        foreach (string document in Repository.Documents())
        {
            foreach ((int line, string target) in Links(Repository.Read(document)))
            {
                count++;
                if (target.StartsWith('/'))
                    bad.Add($"{document}:{line}: link with an absolute path: {target}");
                else if (!Path.Exists(Path.Combine(Path.GetDirectoryName(Repository.PathOf(document))!, target.Split('#')[0])))
                    bad.Add($"{document}:{line}: no such file: {target}");
            }
        }

        Assert.True(bad.Count == 0, string.Join('\n', bad));
        Assert.True(count > 200, $"only {count} links were found");
    }

    [Fact]
    public void TheListOfDecisionsIsComplete()
    {
        string list = Repository.Read("docs/adr/README.md");
        string[] decisions = [.. Directory.EnumerateFiles(Repository.PathOf("docs/adr"), "*.md").Select(static file => Path.GetFileName(file)).Where(static name => char.IsDigit(name[0]))];
        Assert.NotEmpty(decisions);
        Assert.All(decisions, name => Assert.Contains($"({name})", list, StringComparison.Ordinal));
    }

    [Fact]
    public void CodeHasNoLinks()
        => Assert.Equal([(1, "a.md#b"), (6, "/c")], Links("[x](a.md#b) `[y](no)` [z](https://there)\n```\n[x](no)\n```\n\n[a](#here)[b](/c)\n"));

    /// <summary>Lines and targets of the links to files, outside of code.</summary>
    private static IEnumerable<(int Line, string Target)> Links(string text)
    {
        bool isFenced = false;
        foreach ((int index, string line) in text.Split('\n').Index())
        {
            if (Fence().IsMatch(line))
                isFenced = !isFenced;
            if (isFenced)
                continue;
            foreach (Match match in Link().Matches(Code().Replace(line, "")))
            {
                string target = match.Groups[1].Value;
                if (!target.Contains("://", StringComparison.Ordinal) && !target.StartsWith("mailto:", StringComparison.Ordinal) && target[0] != '#')
                    yield return (index + 1, target);
            }
        }
    }

    [GeneratedRegex(@"^\s*(```|~~~)")]
    private static partial Regex Fence();

    [GeneratedRegex("`[^`]*`")]
    private static partial Regex Code();

    [GeneratedRegex(@"\]\(([^)\s]+)")]
    private static partial Regex Link();
}
