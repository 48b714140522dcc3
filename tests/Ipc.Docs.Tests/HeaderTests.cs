using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Ipc.Docs.Tests.Headers;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>
/// The C interface is documented where it is declared: every function has a comment of its own, which says what it does, what each argument is, what it
/// returns, how long it blocks, what it allocates and which threads may call it. docs/c-api.md lists every function with the first sentence of that.
/// </summary>
public partial class HeaderTests
{
    private const string Include = "src/Ipc.Native/include/";
    private const string Page = "docs/c-api.md";

    private static readonly string[] _order = ["base", "ring", "connection", "named", "named_listener", "queue", "topic", "sync", "participants", "ready_handle"];

    [Fact]
    public void EveryFunctionSaysWhatItDoes()
    {
        List<string> bad = [];
        int count = 0;
        foreach (string header in Headers())
        {
            CFunction[] functions = [.. CFunction.Of(Repository.Read(header))];
            count += functions.Length;
            Assert.Equal((header, Api().Count(Repository.Read(header))), (header, functions.Length));
            bad.AddRange(functions.SelectMany(function => function.Gaps().Select(gap => $"{header}: {function.Name} {gap}")));
        }

        Assert.True(bad.Count == 0, string.Join('\n', bad));
        Assert.True(count > 100, $"only {count} functions were found");
    }

    [Fact]
    public void ThePageListsThemAll()
    {
        Assert.All(
            Headers().Where(static header => Api().IsMatch(Repository.Read(header))),
            static header => Assert.Contains(_order, name => header == $"{Include}ipc/{name}.h"));
        string page = Repository.Read(Page), introduction = page[..page.IndexOf("\n## ipc/", StringComparison.Ordinal)].TrimEnd('\n');
        var fresh = new StringBuilder(introduction).Append('\n');
        foreach (string name in _order)
        {
            string header = Repository.Read($"{Include}ipc/{name}.h");
            fresh.Append($"\n## ipc/{name}.h: {Title(header)}\n\n| function | |\n|---|---|\n");
            foreach (CFunction function in CFunction.Of(header))
                fresh.Append($"| `{function.Name}` | {function.FirstSentence} |\n");
        }

        if (Environment.GetEnvironmentVariable("IPC_UPDATE_C_API") == "1")
            File.WriteAllText(Repository.PathOf(Page), fresh.ToString());
        Assert.True(fresh.ToString() == Repository.Read(Page), $"{Page} is not what the headers say: IPC_UPDATE_C_API=1 writes it anew");
    }

    [Fact]
    public void ItsVersionIsThatOfThePackages()
        => Assert.Contains($"<Version>{Version()}</Version>", Repository.Read("Directory.Build.props"), StringComparison.Ordinal);

    /// <summary>vcpkg reads no header, so its port says the version by hand. Conan's recipe takes it out of the header, by an expression of its own.</summary>
    [Fact]
    public void ItsVersionIsThatOfThePortAndTheRecipe()
    {
        using var port = JsonDocument.Parse(Repository.Read("nuget/vcpkg/ports/ipc/vcpkg.json"));
        Assert.Equal(Version(), port.RootElement.GetProperty("version").GetString());
        string expression = Regex.Match(Repository.Read("nuget/conan/conanfile.py"), @"self\.version = re\.search\(r'(.*)', base\)\.group\(1\)").Groups[1].Value;
        Assert.NotEmpty(expression);
        Assert.Equal(Version(), Regex.Match(Repository.Read(Include + "ipc/base.h"), expression).Groups[1].Value);
    }

    /// <summary>Every header ships. Packing would find the difference, too, an hour later.</summary>
    [Fact]
    public void ThePackageListsEveryHeader()
        => Assert.Equal(
            Directory.EnumerateFiles(Repository.PathOf(Include), "*", SearchOption.AllDirectories).Select(static file => Path.GetRelativePath(Repository.PathOf(Include), file)).Order(StringComparer.Ordinal),
            Repository.Read("nuget/contents/Ipc.Native.txt").Split('\n').Where(static line => line.StartsWith("build/native/include/", StringComparison.Ordinal))
                .Select(static line => line["build/native/include/".Length..]));

    [Fact]
    public void AFunctionWithoutWordsIsFound()
    {
        const string Header = "\n/* Does it.\n *\n * one        the one\n * Returns    0.\n * Blocks     never. Allocates nothing. Threads: any.\n */\nIPC_API int ipc_good(int one);\n"
            + "/* does it\n */\nIPC_API IPC_MUST_USE int ipc_bad(const char *name,\n    int **two);\n\nIPC_API void ipc_alone(void);\n";
        CFunction[] functions = [.. CFunction.Of(Header)];
        Assert.Equal(["ipc_good", "ipc_bad", "ipc_alone"], functions.Select(static function => function.Name));
        Assert.Empty(functions[0].Gaps());
        Assert.Equal("Does it.", functions[0].FirstSentence);
        Assert.Equal(5, functions[1].Gaps().Count());
        Assert.Equal(["has no comment of its own"], functions[2].Gaps());
    }

    private static string Version()
    {
        string version = Regex.Match(Repository.Read(Include + "ipc/base.h"), @"#define IPC_VERSION +""(.*)""").Groups[1].Value;
        Assert.NotEmpty(version);
        return version;
    }

    private static IEnumerable<string> Headers()
        => Directory.EnumerateFiles(Repository.PathOf(Include + "ipc"), "*.h").Append(Repository.PathOf(Include + "ipc.h")).Select(static file => Path.GetRelativePath(Repository.Root, file)).Order();

    private static string Title(string header)
        => Regex.Replace(Regex.Match(header, @"^(?:/\*| \*) [a-z_]+\.h - (.*)", RegexOptions.Multiline).Groups[1].Value, @" Included by ipc\.h\..*|\s*\*/$", "").TrimEnd('.');

    [GeneratedRegex("^IPC_API ", RegexOptions.Multiline)]
    private static partial Regex Api();
}
