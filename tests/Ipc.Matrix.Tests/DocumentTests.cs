using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Ipc.Matrix.Cells;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Matrix.Tests;

using Result = Ipc.Matrix.Cells.Result;

/// <summary>What is written from a run: charts, page, table, advice.</summary>
public sealed partial class DocumentTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ipc-matrix-docs").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void ThePageContainsEveryChart()
    {
        RunFile run = RunFile.Read(Path.Combine(AppContext.BaseDirectory, "small-run.json"));
        IReadOnlyList<Chart> charts = Charts.Of(run);
        string html = Page.Html(run, charts);
        Assert.InRange(charts.Count, Charts.Least, int.MaxValue);
        Assert.Equal(charts.Select(static chart => chart.Name), Figure().Matches(html).Select(static match => match.Groups[1].Value));
        string[] pictures = [.. Picture().Matches(html).Select(static match => Encoding.UTF8.GetString(Convert.FromBase64String(match.Groups[1].Value)))];
        Assert.Equal(charts.Select(static chart => chart.Svg), pictures);
        Assert.All(pictures, static svg => Assert.Equal("svg", XDocument.Parse(svg).Root!.Name.LocalName));
        Assert.DoesNotMatch("(src|href)=\"(?!data:)", html); // nothing is fetched
    }

    /// <summary>As a browser sees it, where there is one.</summary>
    [Fact]
    public void ABrowserShowsEveryChart()
    {
        string? browser = new[] { "chromium", "chromium-browser", "google-chrome" }
            .SelectMany(static name => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':').Select(place => Path.Combine(place, name))).FirstOrDefault(File.Exists);
        Assert.SkipWhen(browser is null, "no Chromium here: the charts are counted in the text of the page alone");
        RunFile run = RunFile.Read(Path.Combine(AppContext.BaseDirectory, "small-run.json"));
        IReadOnlyList<Chart> charts = Charts.Of(run);
        string page = Path.Combine(_folder, "page.html");
        // The title says how many pictures the browser has drawn: with a size of their own.
        const string Count = "<script>addEventListener('load',()=>document.title=[...document.images].filter(i=>i.complete&&i.naturalWidth>100).length+' charts')</script>";
        File.WriteAllText(page, Page.Html(run, charts).Replace("</body>", Count + "</body>", StringComparison.Ordinal));
        string shown = Output(browser!, "--headless", "--no-sandbox", "--disable-gpu", $"--user-data-dir={_folder}/profile", "--virtual-time-budget=10000", "--dump-dom", "file://" + page);
        Assert.Contains($"<title>{charts.Count} charts</title>", shown, StringComparison.Ordinal);
    }

    [Fact]
    public void EveryDocumentIsWrittenAndItsLinksLead()
    {
        IReadOnlyList<string> written = Cells.Docs.Write(Made.Run(), _folder);
        Assert.All(written, static path => Assert.True(new FileInfo(path).Length > 50, path));
        string[] charts = [.. Directory.EnumerateFiles(Path.Combine(_folder, "charts"), "*.svg")];
        Assert.InRange(charts.Length, Charts.Least, int.MaxValue);
        Assert.All(charts, static chart => Assert.InRange(File.ReadAllLines(Path.ChangeExtension(chart, "csv")).Length, 2, int.MaxValue));
        string docs = Path.Combine(Repository(), "docs");
        foreach (string page in written.Where(static path => path.EndsWith(".md", StringComparison.Ordinal)))
        {
            string[] targets = [.. Link().Matches(File.ReadAllText(page)).Select(static match => match.Groups[1].Value.Split('#')[0])];
            Assert.NotEmpty(targets);
            foreach (string target in targets)
            {
                string place = Path.GetRelativePath(_folder, Path.Combine(Path.GetDirectoryName(page)!, target));
                Assert.True(Path.Exists(Path.Combine(_folder, place)) || Path.Exists(Path.Combine(docs, place)), $"{page}: {target}");
            }
        }
    }

    [Fact]
    public void TheAdviceTakesItsFiguresFromTheRun()
    {
        RunFile made = Made.Run();
        Result ring = made.Cells.Single(static cell => cell.Cell.Name == "ring/none/0.1K-1K/request/1/cs-cs/adaptive");
        RunFile run = made with { Cells = [.. made.Cells.Select(cell => cell == ring ? cell with { P50 = 54_321 } : cell)] };
        string advice = new Choosing(run).Markdown();
        Assert.Contains("| one writer, one reader, as fast as it goes | [a ring](rings-and-connections.md) | 54,321 us |", advice, StringComparison.Ordinal);
        Assert.Contains("- ring, 0.1K-1K, request: 54,321 us;", advice, StringComparison.Ordinal); // and it is among what ours does not do well
    }

    [Fact]
    public void ABusyMachineSaysSo()
    {
        RunFile busy = Made.Run() with { IsBusy = true, LoadBefore = 3 };
        Assert.Contains("not to be published", new Choosing(busy).Markdown(), StringComparison.Ordinal);
        Assert.Contains("not to be published", Page.Html(busy, Charts.Of(busy)), StringComparison.Ordinal);
    }

    [Fact]
    public void OfPartOfARunNothingIsWritten()
    {
        RunFile part = Made.Run() with { Cells = [Made.Result(Cell.Parse("ring/none/0.1K-1K/request/1/cs-cs/spin"), 1)] };
        FormatException problem = Assert.Throws<FormatException>(() => Cells.Docs.Write(part, _folder));
        Assert.Contains("need a whole run", problem.Message, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_folder));
    }

    private static string Repository([System.Runtime.CompilerServices.CallerFilePath] string here = "") => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(here)!, "../.."));

    private static string Output(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        _ = process.StandardError.ReadToEndAsync();
        System.Threading.Tasks.Task<string> output = process.StandardOutput.ReadToEndAsync();
        if (!output.Wait(Watchdog.Patience))
            process.Kill(entireProcessTree: true);
        return output.Result;
    }

    [GeneratedRegex("<figure class=\"chart\" id=\"([^\"]+)\">")]
    private static partial Regex Figure();

    [GeneratedRegex("<img alt=\"[^\"]*\" src=\"data:image/svg\\+xml;base64,([^\"]+)\">")]
    private static partial Regex Picture();

    [GeneratedRegex(@"\]\(([^)#:]+)[)#]")]
    private static partial Regex Link();
}
