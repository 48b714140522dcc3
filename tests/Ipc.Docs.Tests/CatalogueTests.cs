using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Ipc.Rpc;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>docs/guide/failures.md names every failure that the libraries have, with its number, and none that they have not.</summary>
public partial class CatalogueTests
{
    private const string Page = "docs/guide/failures.md";

    [Fact]
    public void EveryIpcStatusHasItsRowInBothLanguages()
    {
        Dictionary<int, string> native = CConstants("ipc_status", "IPC_");
        IEnumerable<string> expected = Enum.GetValues<IpcStatus>().Select(status => $"{(int)status} | `{status}` | `{native[(int)status]}`");
        Assert.Equal(native.Count, Enum.GetValues<IpcStatus>().Length);
        AssertSame(expected, Rows("status"));
    }

    [Fact]
    public void EveryStatusOfACallHasItsRowInBothLanguages()
    {
        Dictionary<int, string> native = CConstants("status", "", "src/Ipc.Native/include/ipc/rpc/status.hpp");
        Assert.Equal(native.Count, Enum.GetValues<RpcStatus>().Length);
        AssertSame(Enum.GetValues<RpcStatus>().Select(status => $"{(int)status} | `{status}` | `{native[(int)status]}`"), Rows("call"));
    }

    [Fact]
    public void EveryCloseCodeHasItsRowInBothLanguages()
    {
        Dictionary<int, string> native = CConstants("", "IPC_CLOSE_");
        AssertSame(Enum.GetValues<CloseCode>().Where(static code => code != CloseCode.None).Select(code => $"{(int)code} | `{code}` | `{native[(int)code]}`"), Rows("close"));
    }

    [Fact]
    public void EveryErrorOfTheCodecHasItsRow()
        => AssertSame(Enum.GetNames<ProtoError>().Select(static name => $"`{name}`"), Rows("codec"));

    [Fact]
    public void EveryExceptionTypeHasItsRow()
        => AssertSame(
            new[] { typeof(IpcException).Assembly, typeof(RpcCallException).Assembly, typeof(Hosting.IpcServer).Assembly }
                .SelectMany(static assembly => assembly.GetExportedTypes()).Where(static type => typeof(Exception).IsAssignableFrom(type)).Select(static type => $"`{type.Name}`"),
            Rows("exception"));

    [Fact]
    public void EveryDiagnosticHasItsPageAndItsRow()
    {
        string list = Repository.Read("docs/diagnostics/README.md");
        string[] known = [.. Ids().Matches(Repository.Read("src/Ipc.Core.Analyzers/AnalyzerReleases.Unshipped.md") + Repository.Read("src/Ipc.Rpc.Generator/AnalyzerReleases.Unshipped.md") + Repository.Read("src/Ipc.Rpc.Generator/AnalyzerReleases.Shipped.md"))
            .Select(static match => match.Value).Distinct().Order()];
        Assert.True(known.Length > 30);
        Assert.All(known, id => Assert.Contains($"[{id}]({id}.md)", list, StringComparison.Ordinal));
        Assert.All(known, id => Assert.True(File.Exists(Repository.PathOf($"docs/diagnostics/{id}.md")), id));
        Assert.Contains("(../diagnostics/README.md)", Repository.Read(Page), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("status")]
    [InlineData("call")]
    [InlineData("close")]
    [InlineData("codec")]
    [InlineData("exception")]
    public void EveryRowSaysWhatItMeansAndWhatToDo(string table)
        => Assert.All(Rows(table), static row => Assert.DoesNotContain(row.Split('|').Skip(1).SkipLast(1), static cell => string.IsNullOrWhiteSpace(cell)));

    private static void AssertSame(IEnumerable<string> expected, List<string> rows)
    {
        string[] all = [.. expected];
        Assert.All(all, text => Assert.Contains(rows, row => row.StartsWith($"| {text} |", StringComparison.Ordinal)));
        Assert.Equal(all.Length, rows.Count);
    }

    /// <summary>The rows of the table behind the comment of that name.</summary>
    private static List<string> Rows(string table)
        => [.. Repository.Read(Page).Split('\n').SkipWhile(line => line != $"<!-- table: {table} -->").Skip(1)
            .SkipWhile(static line => !line.StartsWith("|--", StringComparison.Ordinal)).Skip(1).TakeWhile(static line => line.StartsWith('|'))];

    /// <summary>The constants of an enum of the C headers or of that file; or those of one without a name, which begin so.</summary>
    private static Dictionary<int, string> CConstants(string type, string prefix, string? file = null)
    {
        string text = file is null
            ? string.Concat(Directory.EnumerateFiles(Repository.PathOf("src/Ipc.Native/include"), "*.h", SearchOption.AllDirectories).Select(File.ReadAllText))
            : Repository.Read(file);
        Match body = Regex.Match(text, $@"enum (class )?{type}\s*(: \w+ )?\{{\s*({prefix}[^}}]*)\}}");
        return Regex.Matches(body.Groups[3].Value, @"(\w+) = (-?\d+)").ToDictionary(static match => int.Parse(match.Groups[2].Value), static match => match.Groups[1].Value);
    }

    [GeneratedRegex(@"IPC(RPC)?\d\d\d")]
    private static partial Regex Ids();
}
