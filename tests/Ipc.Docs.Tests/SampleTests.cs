using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>A sample is read before it is run: each has a page that says what it shows and how it is started, and the documents lead there.</summary>
public class SampleTests
{
    /// <summary>A folder that nothing but a build has written in is none.</summary>
    public static TheoryData<string> Names
        => [.. Directory.EnumerateDirectories(Repository.PathOf("samples")).Where(static folder => Sources(folder).Any()).Select(static folder => Path.GetFileName(folder)).Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Names))]
    public void EverySampleHasAPageThatSaysHowItIsRun(string name)
    {
        string page = $"samples/{name}/README.md";
        Assert.True(File.Exists(Repository.PathOf(page)), $"there is no {page}");
        string[] lines = File.ReadAllLines(Repository.PathOf(page));
        Assert.StartsWith("# ", lines[0], StringComparison.Ordinal);
        Assert.True(lines.Skip(1).First(static line => line.Length > 0).Length > 40, $"{page} does not say what the sample shows");
        Assert.True(lines.Any(line => !line.StartsWith("<!--", StringComparison.Ordinal) && line.Contains($"samples/{name}", StringComparison.Ordinal)), $"{page} does not say how something of samples/{name} is run");
    }

    [Fact]
    public void TheDocumentsLeadToEverySample()
    {
        string list = Repository.Read("docs/README.md");
        Assert.NotEmpty(Names);
        Assert.All(Names, name => Assert.Contains($"(../samples/{name.Data}/README.md)", list, StringComparison.Ordinal));
    }

    private static IEnumerable<string> Sources(string folder)
        => Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories).Where(static file => !file.Split('/').Any(static part => part is "bin" or "obj"));
}
