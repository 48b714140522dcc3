using System;
using System.Linq;
using System.Text.Json;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>Connections that are in use have no names; ls, top and show find them by their listener's slots and in the memory of their processes.</summary>
public sealed class ConnectionTests(Peers peers)
{
    [Theory]
    [InlineData(Language.C, Language.CSharp)]
    [InlineData(Language.CSharp, Language.C)]
    public void AConnectionHasItsDepthRateAndMemory(Language serverLanguage, Language clientLanguage)
    {
        string name = peers.NewName("listener");
        Driven server = peers.At(serverLanguage, "one"), client = peers.At(clientLanguage, "two");
        int listener = peers.NewId(), connection = peers.NewId();
        server.Must($"listen {listener} {name}");
        Assert.DoesNotContain(name + "~", ToolRun.In(peers.Directory, "ls", "--interval", "0").Out, StringComparison.Ordinal);
        client.Begin($"connect {connection} {name} timeout=60000");
        Answer asked = server.Must($"next {listener} timeout=60000");
        server.Must($"accept {asked["connection"]}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        for (int i = 0; i < 3; i++)
            client.Must($"write {connection} {i} 100 7");

        JsonElement region = ToolRun.In(peers.Directory, "ls", "--json", "--interval", "0").Json.EnumerateArray()
            .Single(one => one.GetProperty("name").GetString()!.StartsWith(name + "~", StringComparison.Ordinal));
        Assert.Equal("connection", region.GetProperty("kind").GetString());
        Assert.Equal("live", region.GetProperty("state").GetString());
        Assert.Equal(3, region.GetProperty("depth").GetInt32());
        Assert.Equal(client.ProcessId, region.GetProperty("clientPid").GetInt32());
        Assert.Equal(server.ProcessId, region.GetProperty("serverPid").GetInt32());
        Assert.InRange(region.GetProperty("memory").GetInt64(), 4096, region.GetProperty("size").GetInt64());

        ToolRun list = ToolRun.In(peers.Directory, "ls", "--interval", "0.01");
        Assert.Contains("1 client, 3 waiting", list.Line(name), StringComparison.Ordinal);
        Assert.Contains("3 to server, 0 to client", list.Out, StringComparison.Ordinal);
        Assert.Contains("3 to server, 0 to client", ToolRun.In(peers.Directory, "top", "-n", "1", "-d", "0.01").Out, StringComparison.Ordinal);
        ToolRun shown = ToolRun.In(peers.Directory, "show", region.GetProperty("name").GetString()!);
        Assert.Equal(ExitCode.Ok, shown.ExitCode);
        Assert.Contains($"processes client {client.ProcessId}, server {server.ProcessId}", string.Join('\n', shown.Lines), StringComparison.Ordinal);
        Assert.Contains("ring to the server", shown.Out, StringComparison.Ordinal);

        RegionReport One() => LiveConnections.WithAll(peers.Directory.Path, InspectionDepth.Quick).Single(one => one.ClientPid == client.ProcessId);
        RegionReport before = One();
        for (int i = 0; i < 3; i++)
            client.Must($"write {connection} {i} 100 7");
        RegionReport after = One();
        Rates.Apply([before], [after]);
        Assert.True(after.Rate is { Unit: "bytes", In: > 0, Out: 0 });
        Assert.InRange(after.Memory, 4096, 32 << 10); // so often looked at, and not a page more

        client.Must($"close {connection}");
        server.Must($"close {listener}");
        Assert.DoesNotContain(name, ToolRun.In(peers.Directory, "ls", "--interval", "0").Out, StringComparison.Ordinal);
    }

    /// <summary>A slot may name any process and any connection: whoever has none of that name mapped is not looked into.</summary>
    [Fact]
    public void AProcessThatHasNoneIsNotLookedInto()
    {
        Assert.Empty(ProcessMapping.Of(0));
        Assert.All(ProcessMapping.Of((uint)Environment.ProcessId), static one => Assert.True(one.End > one.Start && one.Path.Length > 0));
        Assert.Null(LiveConnections.One(peers.Directory.Path, "nothing~0123456789abcdef", InspectionDepth.Quick));
    }
}
