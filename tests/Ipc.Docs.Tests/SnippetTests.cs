using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>The C# code of the guide is run: what a page says that a line prints, behind <c>//&gt;</c>, is what it prints.</summary>
public class SnippetTests
{
    private const string Folder = "docs/snippets/csharp";
    private const string Mark = "//> ";

    public static IEnumerable<TheoryDataRow<string>> Programs() => Directory.EnumerateFiles(Repository.PathOf(Folder), "*.cs")
        .Where(static file => File.ReadAllText(file).Contains("static async Task Run()", StringComparison.Ordinal) ||
            File.ReadAllText(file).Contains("static Task Run()", StringComparison.Ordinal))
        .Select(static file => new TheoryDataRow<string>(Path.GetFileNameWithoutExtension(file)));

    [Fact]
    public void ThereIsCodeToRun() => Assert.True(Programs().Count() >= 14);

    [Theory]
    [MemberData(nameof(Programs))]
    public async Task TheCodeOfTheGuidePrintsWhatItSays(string name)
    {
        string[] expected = [.. File.ReadLines(Repository.PathOf($"{Folder}/{name}.cs"))
            .Where(static line => line.Contains(Mark, StringComparison.Ordinal))
            .Select(static line => line[(line.IndexOf(Mark, StringComparison.Ordinal) + Mark.Length)..])];
        Assert.NotEmpty(expected);

        (int code, string output, string errors) = await RunAsync(name);

        Assert.True(code == 0, $"exit code {code}: {errors}");
        Assert.Equal(expected, output.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    /// <summary>Those commands of the guide that are cheap: they say themselves when they fail.</summary>
    [Theory]
    [InlineData("containers.sh")]
    [InlineData("testing.sh", "true")]
    public async Task TheCommandsOfTheGuideWork(string script, params string[] arguments)
    {
        Assert.SkipUnless(Directory.Exists("/dev/shm"), "there is no /dev/shm");
        (int code, _, string errors) = await RunAsync(script, "bash", [Repository.PathOf("docs/snippets/shell/" + script), .. arguments]);
        Assert.True(code == 0, $"exit code {code}: {errors}");
    }

    private static Task<(int Code, string Output, string Errors)> RunAsync(string name)
        => RunAsync(name, "dotnet", [Path.Combine(AppContext.BaseDirectory, "Ipc.Snippets.dll"), name]);

    private static async Task<(int Code, string Output, string Errors)> RunAsync(string name, string program, string[] arguments)
    {
        // A region directory of its own: what it leaves behind is seen by this test.
        string parent = Environment.GetEnvironmentVariable("IPC_DIR") is { Length: > 0 } given ? given : Path.GetTempPath();
        string regions = Path.Combine(parent, "docs." + Guid.NewGuid().ToString("N"));
        Directory.CreateDirectory(regions);
        DirectoryInfo temporary = Directory.CreateTempSubdirectory("ipc-docs-"); // where .NET has named pipes: that of the guide has a fixed name
        try
        {
            ProcessStartInfo start = new(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
            start.Environment["IPC_DIR"] = regions;
            start.Environment["TMPDIR"] = temporary.FullName;
            using Process process = Process.Start(start)!;
            Task<string> output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
            Task<string> errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
            Task end = process.WaitForExitAsync(TestContext.Current.CancellationToken);
            if (await Task.WhenAny(end, Task.Delay(TimeSpan.FromMinutes(2), TestContext.Current.CancellationToken)) != end)
            {
                process.Kill(entireProcessTree: true);
                Assert.Fail($"{name} does not end; so far it printed:\n{await output}");
            }

            string[] left = [.. Directory.EnumerateFiles(regions).Select(Path.GetFileName).OfType<string>()];
            Assert.True(left.Length == 0, $"{name} left {string.Join(", ", left)}");
            return (process.ExitCode, await output, await errors);
        }
        finally
        {
            Directory.Delete(regions, recursive: true);
            temporary.Delete(recursive: true);
        }
    }
}
