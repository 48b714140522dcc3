using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using Ipc.Matrix.Cells;
using Xunit;

namespace Ipc.Matrix.Tests;

/// <summary>The program itself, with rounds of milliseconds: nothing here says how fast anything is.</summary>
public sealed class RunTests : IDisposable
{
    private const string Tiny = "1,1,1";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(4); // of some twenty pairs of processes beside everything else

    private readonly string _folder = Directory.CreateTempSubdirectory("ipc-matrix-run").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void ACellOfEachTransportIsMeasured()
    {
        Cell[] cells = [.. Transports.All.Select(static transport => Catalogue.Choose(quick: true, transport + "/*").First(cell => cell.Wait == Catalogue.DefaultWait(cell.Transport)))];
        string json = Path.Combine(_folder, "run.json"), csv = Path.Combine(_folder, "run.csv");
        (int code, string output, string errors) = Start([], "--only", string.Join(',', cells.Select(static cell => cell.Name)), "--plan", Tiny, "--json", json, "--csv", csv);
        Assert.True(code == 0, output + errors);
        JsonNode run = JsonNode.Parse(File.ReadAllText(json))!;
        foreach (string field in new[] { "date", "machine", "kernel", "versions", "settings", "seed", "seconds", "load_before", "busy", "cells", "failed" })
            Assert.NotNull(run[field]);
        JsonArray measured = run["cells"]!.AsArray();
        Assert.Equal(cells.Length, measured.Count);
        Assert.Empty(run["failed"]!.AsArray());
        string[] head = File.ReadLines(csv).First().Split(',');
        foreach (JsonNode? cell in measured)
        {
            Assert.Equal(head, cell!.AsObject().Select(static field => field.Key)); // every field, and the same in both files
            foreach (string field in new[] { "p50_us", "p99_us", "p999_us", "max_us", "messages_per_s", "mb_per_s", "cpu_us_per_message", "rounds", "messages_per_round" })
                Assert.True(cell[field]!.GetValue<double>() > 0, cell.ToJsonString());
            Assert.True(cell["p50_us"]!.GetValue<double>() <= cell["max_us"]!.GetValue<double>(), cell.ToJsonString());
        }

        Assert.Equal(cells.Length + 1, File.ReadLines(csv).Count());
        Assert.Contains($"{cells.Length} cells measured", output, StringComparison.Ordinal);
    }

    /// <summary>Streams, batches and the serializers of each kind: what a round is made of.</summary>
    [Theory]
    [InlineData("ring/none/oneway-0.1K/stream/500/cs-cs/adaptive")]
    [InlineData("duplexpipe/none/0.1K-1K/request/500/cs-cs/adaptive")]
    [InlineData("rpc/generated/0.1K-1K/stream/1/cs-cs/adaptive")]
    [InlineData("rpc/messagepack/0.1K-1K/request/1/cs-cs/adaptive")]
    [InlineData("uds/json/0.1K-1K/request/1/cs-cs/block")]
    public void AnotherSortOfCellIsMeasured(string cell)
    {
        (int code, string output, string errors) = Start([], "--only", cell, "--plan", Tiny);
        Assert.True(code == 0, output + errors);
        Assert.Contains("1 cells measured", output, StringComparison.Ordinal);
    }

    [Fact]
    public void AFailedCellSaysWhyAndTheOthersGoOn()
    {
        string json = Path.Combine(_folder, "run.json");
        (int code, string output, string errors) = Start([("TMPDIR", Path.Combine(_folder, "none"))], // where the socket cannot be made
            "--only", "uds/none/0.1K-1K/request/1/cs-cs/block,ring/none/0.1K-1K/request/1/cs-cs/block", "--plan", Tiny, "--json", json);
        Assert.True(code == 1, output + errors);
        Assert.Contains("1 cells measured", output, StringComparison.Ordinal);
        Assert.Contains("1 failed", output, StringComparison.Ordinal);
        Assert.Contains("failed: uds/none/0.1K-1K/request/1/cs-cs/block", errors, StringComparison.Ordinal);
        JsonElement run = JsonDocument.Parse(File.ReadAllText(json)).RootElement;
        Assert.Equal("ring", run.GetProperty("cells")[0].GetProperty("transport").GetString());
        Assert.True(run.GetProperty("failed")[0].GetProperty("reason").GetString()!.Length > 10);
    }

    [Theory]
    [InlineData("--only", "nothing/*")]
    [InlineData("--nonsense")]
    [InlineData("--json")]
    public void WhatIsNotUnderstoodEndsAtOnce(params string[] arguments)
    {
        (int code, _, string errors) = Start([], arguments);
        Assert.Equal(2, code);
        Assert.Contains("usage:", errors, StringComparison.Ordinal);
    }

    private static (int Code, string Output, string Errors) Start(IEnumerable<(string Name, string Value)> environment, params string[] arguments)
    {
        ProcessStartInfo start = new(MeasuringProcess.Self, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach ((string name, string value) in environment)
            start.Environment[name] = value;
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync(), errors = process.StandardError.ReadToEndAsync();
        if (!process.WaitForExit(s_patience))
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"not over after {s_patience}: {output.Result}{errors.Result}");
        }

        return (process.ExitCode, output.Result, errors.Result);
    }
}
