using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Ipc.Docs.Tests.Promises;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>docs/promises.md names the test of every promise of the documents: no promise without a row, no row without its promise, no test that is not there.</summary>
public partial class PromiseTests
{
    private const string Page = "docs/promises.md";
    private const string NoPromise = "Says what is, promises nothing";
    private const string NotShown = "Not shown by a test";

    [Fact]
    public void EveryPromiseHasItsRowAndNoMoreThanOne()
    {
        List<Claim> claims = Claims();
        AssertNone(Pages.All().Where(Pages.Promises).Select(unit => (Unit: unit, Rows: claims.Count(claim => claim.Means(unit)))).Where(static found => found.Rows != 1).Select(static found =>
            $"{Page} has {found.Rows} rows for this of \"{found.Unit.Where}\": \"{found.Unit.Text}\". It needs one, `| {found.Unit.Where} | {Begin(found.Unit.Text)} |`, which names its test."));
    }

    [Fact]
    public void EveryRowQuotesOneSentence()
    {
        List<Unit> units = Pages.All();
        AssertNone(Claims().Select(claim => (Claim: claim, Found: units.Count(claim.Means))).Where(static found => found.Found != 1).Select(static found =>
            $"\"{found.Claim.Words}\" of {Page} begins {found.Found} sentences of \"{found.Claim.Where}\". Quote the document as it is now, enough to be the only one, and look whether the test still shows it."));
    }

    [Fact]
    public void EveryTestThatIsNamedIsThere()
    {
        foreach (Claim claim in Claims().Where(static claim => claim.Section is not NoPromise and not NotShown))
        {
            string[] names = [.. Code().Matches(claim.Rest).Select(static match => match.Groups[1].Value)];
            Assert.True(names.Length != 0 && Code().Replace(claim.Rest, "").All(static c => c is ',' or ' '), $"{Page}: \"{claim.Words}\" is shown by names in backquotes with commas between them, and not by \"{claim.Rest}\"");
            AssertNone(names.Where(static name => !KnownTests.Has(name)).Select(name => $"{Page}: \"{claim.Words}\" is shown by {name}, which is no test, script or model of the repository"));
        }
    }

    [Fact]
    public void WhatHasNoTestHasAReasonAndDoesNotGrow()
    {
        Claim[] reasons = [.. Claims().Where(static claim => claim.Section is NoPromise or NotShown)];
        Assert.All(reasons, static claim => Assert.False(string.IsNullOrWhiteSpace(claim.Rest), claim.Words));
        foreach (string section in new[] { NoPromise, NotShown })
        {
            int most = int.Parse(Regex.Match(Repository.Read(Page), $@"## {section}\n\n.*At most (\d+) rows?\.").Groups[1].Value), rows = reasons.Count(claim => claim.Section == section);
            Assert.True(rows <= most, $"{Page} says that \"{section}\" has at most {most} rows; it has {rows}. Write the test instead.");
        }
    }

    [Fact]
    public void ThePageSaysTheRule()
    {
        string page = Repository.Read(Page);
        Assert.Contains($"*{Pages.Words}*", page, StringComparison.Ordinal);
        Assert.All(Pages.Tables.Concat(Pages.Sections), heading => Assert.Contains($"*{heading}*", page, StringComparison.Ordinal));
        Assert.All(Pages.Files.Values, file => Assert.Contains($"]({(file.StartsWith("docs/", StringComparison.Ordinal) ? file[5..] : "../" + file)})", page, StringComparison.Ordinal));
    }

    [Fact]
    public void ADocumentIsSplitIntoRowsBulletsAndSentences()
    {
        const string Text = "# A\nOne is. Two `a. B`\nis never. (Three) is.\n\n```\nno code\n```\n\n- a bullet\n  goes on. And on.\n- [another](x.md)\n<!-- no comment -->\n\n## B\n\n| head | row |\n|---|---|\n| a | `b` |\n";
        Unit[] expected =
        [
            new("x: A", false, "One is."), new("x: A", false, "Two `a. B` is never."), new("x: A", false, "(Three) is."),
            new("x: A", false, "a bullet goes on. And on."), new("x: A", false, "another"), new("x: B", true, "a / `b`"),
        ];
        Unit[] units = [.. Pages.Split("x", Text)];
        Assert.Equal(expected, units);
        Assert.Equal([false, true, false, false, false, false], units.Select(Pages.Promises));
        Assert.All(Pages.Tables, static table => Assert.Contains(Pages.All(), unit => unit.IsRow && unit.Where.StartsWith(table, StringComparison.Ordinal)));
        Assert.All(Pages.Sections, static heading => Assert.Contains(Pages.All(), unit => unit.Where == heading));
    }

    [Fact]
    public void ATestThatIsNotThereIsNotFound()
    {
        Assert.True(KnownTests.Has("PromiseTests.ATestThatIsNotThereIsNotFound") && KnownTests.Has("PromiseTests.*") && KnownTests.Has("native.ring_test.many_laps_of_every_size_keep_content_and_order"));
        Assert.True(KnownTests.Has("rpc_calls_test.EveryStatusReachesItsCaller") && KnownTests.Has("rpc_server_stress") && KnownTests.Has("tests/storm.sh") && KnownTests.Has("docs/models/ring.pml"));
        Assert.False(KnownTests.Has("PromiseTests.Claims") || KnownTests.Has("PromiseTests.Nothing*") || KnownTests.Has("native.ring_test.nothing") || KnownTests.Has("tests/nothing.sh") || KnownTests.Has("tests/promises"));
    }

    private static void AssertNone(IEnumerable<string> complaints)
    {
        string[] all = [.. complaints];
        Assert.True(all.Length == 0, string.Join('\n', all));
    }

    private static string Begin(string text) => text.Length <= 60 ? text : text[..text.LastIndexOf(' ', 60)];

    /// <summary>The rows of all tables of the page.</summary>
    private static List<Claim> Claims()
    {
        List<Claim> claims = [];
        string section = "";
        foreach (string line in Repository.Read(Page).Split('\n'))
        {
            if (line.StartsWith("## ", StringComparison.Ordinal))
                section = line[3..];
            else if (line.StartsWith('|') && !line.StartsWith("|--", StringComparison.Ordinal) && !line.StartsWith("| where |", StringComparison.Ordinal))
            {
                string[] cells = [.. Pages.Cells(line)];
                Assert.True(cells.Length == 3, $"{Page}: a row has three cells: {line}");
                claims.Add(new Claim(section, cells[0], cells[1], cells[2]));
            }
        }

        return claims;
    }

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex Code();
}
