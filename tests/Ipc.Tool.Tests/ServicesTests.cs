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
        string?[] methods = [.. tests.GetProperty("methods").EnumerateArray().Select(static method => method.GetString())];
        Assert.Contains("Mirror", methods);
        JsonElement[] details = [.. tests.GetProperty("details").EnumerateArray()];
        Assert.Equal(methods, details.Select(static method => method.GetProperty("name").GetString()));
        string[] expected = ["Collect client-stream", "Count server-stream", "Echo unary", "Mirror duplex", "Note unary one-way", "Steps unary"];
        Assert.Equal(expected, details.Select(Line).Where(line => expected.Any(one => one.Split(' ')[0] == line.Split(' ')[0])));
    }

    /// <summary>It is of an earlier version, or its interceptors refuse the call.</summary>
    [Theory]
    [InlineData(RpcStatus.Unimplemented)]
    [InlineData(RpcStatus.PermissionDenied)]
    public void AServerThatDoesNotListThemIsAskedInTheWayOfOld(RpcStatus answer)
    {
        using var directory = new RegionDirectory();
        using RpcServer server = ServeIn(directory, "it", Refusing("a.v1", "Get", answer), Refusing("ipc.reflection.v1", "List", answer));
        ToolRun json = ToolRun.In(directory, "services", "it", "--json");
        Assert.Equal((ExitCode.Ok, ""), (json.ExitCode, json.Error));
        JsonElement first = json.Json.EnumerateArray().First();
        Assert.Equal(("a.v1", "Get"), (first.GetProperty("service").GetString(), Assert.Single(first.GetProperty("methods").EnumerateArray()).GetString()));
        Assert.False(first.TryGetProperty("details", out _));
    }

    /// <summary>More than fit into the text of an error.</summary>
    [Fact]
    public void ManyMethodsAreAllNamed()
    {
        using var directory = new RegionDirectory();
        string[] names = [.. Enumerable.Range(100, 300).Select(static number => $"Method{number}")];
        using RpcServer server = ServeIn(directory, "it", [.. names.Select(static name => Refusing("many.v1", name, RpcStatus.NotFound))]);
        ToolRun json = ToolRun.In(directory, "services", "it", "--json");
        Assert.Equal((ExitCode.Ok, ""), (json.ExitCode, json.Error));
        Assert.Equal(names, Assert.Single(json.Json.EnumerateArray()).GetProperty("methods").EnumerateArray().Select(static method => method.GetString()));
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

    private static string Line(JsonElement method)
        => method.GetProperty("name").GetString() + " " + method.GetProperty("kind").GetString()
            + string.Concat(new[] { ("oneWay", " one-way"), ("once", " once"), ("idempotent", " idempotent") }.Where(flag => method.GetProperty(flag.Item1).GetBoolean()).Select(static flag => flag.Item2));

    private static RpcHandler Refusing(string service, string name, RpcStatus answer)
        => RpcHandler.Unary(
            new RpcMethod<RpcEmpty, RpcEmpty>(service, name, RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec), RpcEmpty (RpcEmpty _) => throw new RpcCallException(answer, "no"));

    /// <summary>A server in this process.</summary>
    private static RpcServer ServeIn(RegionDirectory directory, string name, params RpcHandler[] handlers)
    {
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        Environment.SetEnvironmentVariable("IPC_DIR", directory.Path);
        try
        {
            return RpcServer.Start(name, [.. handlers.GroupBy(static handler => handler.Method.Service).Select(static service => new RpcService(service.Key, [.. service]))]);
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
        }
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
