using System;
using System.IO;
using System.Linq;
using System.Text;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>Calls by descriptor, to servers in both languages.</summary>
public sealed class CallTests
{
    private static string Proto => Path.Combine(PeerPrograms.Top, "tests", "native", "rpc", "tests.proto");

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void EveryShapeOfCall(Language language)
    {
        using var directory = new RegionDirectory();
        using var server = RpcPeer.Start(language, directory, "it");
        ToolRun echo = Call(directory, "", "Echo", $$"""{"data": "{{Base64("hello")}}"}""");
        Assert.Equal((ExitCode.Ok, ""), (echo.ExitCode, echo.Error));
        Assert.Equal($$"""{"data":"{{Base64("hello")}}"}""", echo.Out.TrimEnd());

        ToolRun items = Call(directory, "", "tests.v1/Count", """{"count": 3, "size": 2}""");
        Assert.Equal(ExitCode.Ok, items.ExitCode);
        Assert.Equal(3, items.Out.TrimEnd().Split('\n').Length);
        Assert.Equal(items.Out.Split('\n')[..2], Call(directory, "", "Count", """{"count": 1000000, "size": 2}""", "--limit", "2").Out.TrimEnd().Split('\n'));

        string input = $$"""
            {"data": "{{Base64("one")}}"}

            {"data": "{{Base64("three")}}"}
            """;
        Assert.Equal($$"""{"data":"{{Base64("2 8")}}"}""", Call(directory, input, "Collect", "{}").Out.TrimEnd());
        Assert.Equal([$$"""{"data":"{{Base64("one")}}"}""", $$"""{"data":"{{Base64("three")}}"}"""], Call(directory, input, "Mirror", "{}").Out.TrimEnd().Split('\n'));

        ToolRun note = Call(directory, "", "Note", "{}");
        Assert.Equal((ExitCode.Ok, "", ""), (note.ExitCode, note.Out, note.Error));

        ToolRun steps = Call(directory, "", "Steps", """{"count": 2}""");
        Assert.Equal($$"""{"data":"{{Base64("2")}}"}""", steps.Out.TrimEnd());
        Assert.EndsWith($$"""progress {"data":"{{Base64("2")}}"}""", steps.Error.TrimEnd(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void ACallThatFailsSaysHow(Language language)
    {
        using var directory = new RegionDirectory();
        using var server = RpcPeer.Start(language, directory, "it");
        ToolRun run = Call(directory, "", "FailWith", """{"status": 5, "text": "no such thing"}""");
        Assert.Equal(ExitCode.CallFailed, run.ExitCode);
        Assert.Contains("NotFound", run.Error, StringComparison.Ordinal);
        Assert.Contains("no such thing", run.Error, StringComparison.Ordinal);
        Assert.Contains("detail tests.v1.Blob: ", run.Error, StringComparison.Ordinal);

        ToolRun late = Call(directory, "", "Sleep", """{"ms": 60000}""", "--timeout", "2"); // for the connect as well, which a busy machine must not miss
        Assert.Equal(ExitCode.CallFailed, late.ExitCode);
        Assert.Contains("DeadlineExceeded", late.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void TheContractMayBeAnAssembly()
    {
        using var directory = new RegionDirectory();
        using var server = RpcPeer.Start(Language.CSharp, directory, "it");
        ToolRun run = ToolRun.In(directory, "call", "it", "Echo", """{"data": "AQ=="}""", "--contract", RpcPeer.Assembly, "--service", "tests.v1", "--compact");
        Assert.Equal("""{"data":"AQ=="}""", run.Out.TrimEnd());
    }

    [Theory]
    [InlineData("Nothing", "{}", ExitCode.NotFound, "the contract has no method \"Nothing\"; it has tests.v1/Echo, ")]
    [InlineData("Echo", "{\"date\": 1}", ExitCode.Usage, "tests.v1.Blob has no field \"date\"; it has data.")]
    [InlineData("Echo", "{", ExitCode.Usage, "the message is no JSON")]
    [InlineData("Echo", "{}", ExitCode.CallFailed, "Unavailable")]
    public void WhatCannotBeCalledIsExplained(string method, string json, int code, string text)
    {
        using var directory = new RegionDirectory();
        ToolRun run = Call(directory, "", method, json, "--timeout", "0.1");
        Assert.Equal(code, run.ExitCode);
        Assert.Contains(text, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void AContractThatIsNoneIsExplained()
    {
        using var directory = new RegionDirectory();
        string file = directory.FileOf("bad.proto");
        File.WriteAllText(file, "message {");
        Assert.Equal(ExitCode.Unusable, ToolRun.In(directory, "call", "it", "Echo", "{}", "-c", file).ExitCode);
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "call", "it", "Echo", "{}", "-c", file + ".no").ExitCode);
        Assert.Equal(ExitCode.Usage, ToolRun.In(directory, "call", "it", "Echo", "{}").ExitCode);
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "call", "it", "Echo", "{}", "-c", typeof(RingWriter).Assembly.Location).ExitCode);
        File.WriteAllText(directory.FileOf("bad.dll"), "no assembly");
        Assert.Equal(ExitCode.Unusable, ToolRun.In(directory, "proto", directory.FileOf("bad.dll")).ExitCode);
    }

    /// <summary>The tool itself has constants of the names that generated classes have: it printed one of them, and said that all was well.</summary>
    [Fact]
    public void AnAssemblyWithoutAContractHasNoProto()
    {
        using var directory = new RegionDirectory();
        ToolRun run = ToolRun.In(directory, "proto", typeof(ContractAssembly).Assembly.Location);
        Assert.Equal(ExitCode.NotFound, run.ExitCode);
        Assert.Empty(run.Out);
    }

    [Fact]
    public void TheProtoOfAnAssemblyIsTheCheckedInOne()
    {
        using var directory = new RegionDirectory();
        ToolRun run = ToolRun.In(directory, "proto", RpcPeer.Assembly, "--service", "tests.v1");
        Assert.Equal(File.ReadAllText(Proto), run.Out);
        ToolRun all = ToolRun.In(directory, "proto", RpcPeer.Assembly, "--json");
        Assert.Contains("tests.v1", all.Json.EnumerateArray().Select(static one => one.GetProperty("service").GetString()));
        Assert.Equal(ExitCode.Ok, ToolRun.In(directory, "proto", RpcPeer.Assembly, "--service", "tests.v1", "-o", directory.FileOf("out")).ExitCode);
        Assert.Equal(File.ReadAllText(Proto), File.ReadAllText(directory.FileOf("out/tests.v1.proto")));
        Assert.Equal(ExitCode.NotFound, ToolRun.In(directory, "proto", RpcPeer.Assembly, "--service", "nothing").ExitCode);
    }

    private static ToolRun Call(RegionDirectory directory, string input, string method, string json, params string[] more) =>
        ToolRun.With(input, directory.Path, ["call", "it", method, json, "--contract", Proto, "--compact", .. more]);

    private static string Base64(string text) => Convert.ToBase64String(Encoding.UTF8.GetBytes(text));
}
