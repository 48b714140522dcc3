using System;
using System.Linq;
using System.Text.Json;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>What a server has, by its own account.</summary>
public sealed class ServicesTests
{
    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void AServerNamesItsContracts(Language language)
    {
        using var directory = new RegionDirectory();
        using var server = RpcPeer.Start(language, directory, "it");
        ToolRun list = ToolRun.In(directory, "services", "it");
        Assert.Equal((ExitCode.Ok, ""), (list.ExitCode, list.Error));
        string row = Assert.Single(list.Out.Split('\n'), static line => line.StartsWith("tests.v1 ", StringComparison.Ordinal));
        Assert.Contains(" Collect, Count, ", row, StringComparison.Ordinal);

        ToolRun json = ToolRun.In(directory, "services", "it", "--json");
        JsonElement tests = Assert.Single(json.Json.EnumerateArray(), static one => one.GetProperty("service").GetString() == "tests.v1");
        Assert.Contains("Mirror", tests.GetProperty("methods").EnumerateArray().Select(static method => method.GetString()));
    }

    /// <summary>Listeners say themselves whether they have calls; nobody else is asked, and one that hangs is a row of its own.</summary>
    [Fact]
    public void WithoutANameAllServersOfCallsNameTheirs()
    {
        using var directory = new RegionDirectory();
        Assert.StartsWith("no servers of calls in ", ToolRun.In(directory, "services").Out, StringComparison.Ordinal);
        using var first = RpcPeer.Start(Language.C, directory, "first");
        using var second = RpcPeer.Start(Language.CSharp, directory, "second");
        using var bytes = Driven.Start(Language.CSharp, directory);
        bytes.Must("listen 1 bytes protocol=2.1.1");
        bytes.Must("listen 2 silent");
        ToolRun list = ToolRun.In(directory, "services");
        Assert.Equal((ExitCode.Ok, ""), (list.ExitCode, list.Error));
        foreach (string server in new[] { "first ", "second " })
            Assert.Contains(list.Out.Split('\n'), line => line.StartsWith(server, StringComparison.Ordinal) && line.Contains(" tests.v1 ", StringComparison.Ordinal));
        Assert.DoesNotContain("bytes", list.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("silent", list.Out, StringComparison.Ordinal);
        Assert.Equal(IpcStatus.Timeout, bytes.Do("next 1 timeout=0").Status);

        bytes.Must("listen 3 hangs protocol=1.1.1");
        ToolRun some = ToolRun.In(directory, "services", "--timeout", "1", "--json");
        Assert.Equal(ExitCode.Problems, some.ExitCode);
        JsonElement[] servers = [.. some.Json.EnumerateArray()];
        Assert.Equal(["first", "hangs", "second"], servers.Select(static one => one.GetProperty("server").GetString()));
        Assert.Contains("did not answer", servers[1].GetProperty("error").GetString(), StringComparison.Ordinal);
        Assert.Empty(servers[1].GetProperty("services").EnumerateArray());
        Assert.Contains(servers[2].GetProperty("services").EnumerateArray(), static one => one.GetProperty("service").GetString() == "tests.v1");
    }

    /// <summary>A server of the oldest kind, of many services, and of none.</summary>
    [Fact]
    public void WhatItSaysIsRead()
    {
        const string Who = "The server \"it\" (process 7) has no such method. It has ", End = ". Do both sides have the same contract?";
        Assert.Equal(
            [("a.v1", "Get, Put"), ("a.v2", "Get")],
            ServedContract.Parse(Who + "a.v1: Get, Put; a.v2: Get" + End)!.Select(static one => (one.Service, string.Join(", ", one.Methods!))));
        Assert.Equal([("a.v1", true), ("b.v1", true)], ServedContract.Parse(Who + "methods of the services a.v1, b.v1" + End)!.Select(static one => (one.Service, one.Methods is null)));
        Assert.Empty(ServedContract.Parse(Who + "none at all" + End)!);
        foreach (string other in new[] { "", "no", End, Who, Who + End, Who + "a.v1" + End, Who + "a: b: c" + End, End + Who })
            Assert.Null(ServedContract.Parse(other));
    }

    [Fact]
    public void WhoDoesNotAnswerIsAnError()
    {
        using var directory = new RegionDirectory();
        ToolRun nobody = ToolRun.In(directory, "services", "it", "--timeout", "0.1");
        Assert.Equal((ExitCode.CallFailed, ""), (nobody.ExitCode, nobody.Out));
        Assert.Contains("Unavailable", nobody.Error, StringComparison.Ordinal);
    }
}
