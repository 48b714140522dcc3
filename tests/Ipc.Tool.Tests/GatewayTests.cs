using System;
using System.IO;
using System.Text.Json;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary><c>ipc gateway</c> without a broker: files that make no sense, and what is said of how it is. What it does with one is tested in <c>Ipc.Rpc.RabbitMq.Tests</c>.</summary>
public sealed class GatewayTests : IDisposable
{
    private readonly RegionDirectory _directory = new();

    private string File => Path.Combine(_directory.Path, ".gateway.json");

    public void Dispose()
    {
        System.IO.File.Delete(File);
        _directory.Dispose();
    }

    [Theory]
    [InlineData("", "JSON")]
    [InlineData("null", "null")]
    [InlineData("{}", "broker")]
    [InlineData("""{ "broker": "amqp://b" }""", "no exports")]
    [InlineData("""{ "broker": "amqp://b", "exports": null }""", "exports")]
    [InlineData("""{ "broker": "amqp://b", "exports": [ null ] }""", "null")]
    [InlineData("""{ "broker": "amqp://b", "exports": [ {} ] }""", "name")]
    [InlineData("""{ "broker": "amqp://b", "exports": [ { "name": "a", "prefetsch": 1 } ] }""", "prefetsch")]
    [InlineData("""{ "broker": "amqp://b", "exports": [ { "name": "a", "prefetch": 0 } ] }""", "Prefetch")]
    [InlineData("""{ "broker": "amqp://b", "exports": [ { "name": "a", "methods": [ "a" ] } ] }""", "service/*")]
    [InlineData("""{ "broker": "amqp://b", "exports": [ { "name": "a", "graceSeconds": -1 } ] }""", "graceSeconds")]
    [InlineData("""{ "broker": "amqp://b", "exports": [ { "name": "a b", "service": "a" } ] }""", "a b")]
    [InlineData("""{ "broker": "amqp://b", "exports": [ { "name": "a" } ], "imports": [ { "name": "a" } ] }""", "twice")]
    [InlineData("""{ "broker": "amqp://b", "imports": [ { "name": "a", "attempts": 0 } ] }""", "attempts")]
    [InlineData("""{ "broker": "amqp://b", "imports": [ { "name": "a", "callTimeoutSeconds": 1e300 } ] }""", "callTimeoutSeconds")]
    [InlineData("""{ "broker": "amqp://b", "imports": [ { "name": "a", "maxConcurrentCalls": -1 } ] }""", "maxConcurrentCalls")]
    [InlineData("""{ "broker": "http://b", "imports": [ { "name": "a" } ] }""", "amqp://")]
    [InlineData("""{ "broker": "amqp://b/v/s", "imports": [ { "name": "a" } ] }""", "VHOST")]
    [InlineData("""{ "broker": "amqp://b", "passwordFile": "nowhere", "imports": [ { "name": "a" } ] }""", "nowhere")]
    [InlineData("""{ "broker": "amqp://me:secret@b", "passwordFile": ".gateway.json", "imports": [ { "name": "a" } ] }""", "passwordFile")]
    [InlineData("""{ "broker": "amqp://b", "topics": [ { "name": "a", "policy": "evict" } ] }""", "Lossy")]
    [InlineData("""{ "broker": "amqp://b", "topics": [ { "name": "a", "policy": "eager" } ] }""", "policy")]
    [InlineData("""{ "broker": "amqp://b", "topics": [ { "name": "a", "sends": false, "receives": false } ] }""", "nothing")]
    public void AFileThatMakesNoSenseIsRefusedInWords(string text, string word)
    {
        System.IO.File.WriteAllText(File, text);
        ToolRun run = ToolRun.In(_directory, "gateway", File);
        Assert.Equal(("", true), (run.Out, run.ExitCode is 2 or 3));
        Assert.Contains(word, run.Error, StringComparison.Ordinal);
        Assert.DoesNotMatch("Parameter|Ipc[.]Tool", run.Error);
        Assert.DoesNotContain("secret", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void AFileThatIsNotThereIsSaidToBeSo() => Assert.Equal(3, ToolRun.In(_directory, "gateway", File).ExitCode);

    [Theory]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{ "process": 1, "at": "2026-01-01T00:00:00Z", "parts": [ null ] }""")]
    [InlineData("""{ "process": 1, "at": "2026-01-01T00:00:00Z", "parts": [ {} ] }""")]
    public void WhatIsNoStatusIsRefused(string text)
    {
        System.IO.File.WriteAllText(File, text);
        ToolRun run = ToolRun.In(_directory, "gateway", "--health", File);
        Assert.Equal((4, ""), (run.ExitCode, run.Out));
    }

    [Theory]
    [InlineData(80)]
    [InlineData(40)]
    public void HowItIsCanBeReadInANarrowWindow(int width)
    {
        Write(DateTimeOffset.UtcNow, null);
        ToolRun well = ToolRun.InWindow(width, _directory, "gateway", "--health", File);
        Assert.Equal((0, ""), (well.ExitCode, well.Error));
        Assert.All(well.Out.Split('\n'), line => Assert.True(line.Length <= width, line));
        Assert.Contains("serving", well.Out, StringComparison.Ordinal);
        Write(DateTimeOffset.UtcNow, "no \u001b[31mbroker");
        ToolRun away = ToolRun.InWindow(width, _directory, "gateway", "--health", File);
        Assert.Equal(1, away.ExitCode);
        Assert.Contains("away", away.Out, StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', away.Out);
        Write(DateTimeOffset.UtcNow - TimeSpan.FromMinutes(1), null);
        ToolRun old = ToolRun.InWindow(width, _directory, "gateway", "--health", File, "--json");
        Assert.Equal((1, 1), (old.ExitCode, old.Json.GetProperty("problems").GetArrayLength()));
    }

    /// <summary>Taken as read: an old word, whichever way clocks were set since.</summary>
    [Fact]
    public void AGatewayThatSaysNothingIsNotWell()
    {
        Write(DateTimeOffset.UtcNow + TimeSpan.FromHours(1), null);
        Assert.Equal(1, ToolRun.In(_directory, "gateway", "--health", File).ExitCode);
    }

    [Fact]
    public void AStatusThatCannotBeWrittenIsSaidBeforeAnythingBegins()
    {
        System.IO.File.WriteAllText(File, """{ "broker": "amqp://b", "imports": [ { "name": "a" } ] }""");
        ToolRun run = ToolRun.In(_directory, "gateway", File, "--status", Path.Combine(_directory.Path, "nowhere", "status"));
        Assert.Equal((3, ""), (run.ExitCode, run.Out));
    }

    private void Write(DateTimeOffset at, string? reason) => new GatewayStatus(7, at, null,
    [
        new GatewayStatus.Part("export", "prices", "prices-of-berlin", reason, 12345) { InHand = 2 },
        new GatewayStatus.Part("import", "rates", "rates", null, 1) { Clients = 3 },
    ]).Write(File);
}
