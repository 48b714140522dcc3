using System;
using System.IO;
using System.Linq;
using Ipc.Matrix.Cells;
using Xunit;

namespace Ipc.Matrix.Tests;

/// <summary>The catalogue: what is in it, and why the rest is not.</summary>
public sealed class CatalogueTests
{
    /// <summary>For each rule a cell that it leaves out, and the same cell with one change that it lets pass; empty where nothing of the kind may pass.</summary>
    public static TheoryData<string, string, string> Samples { get; } = new()
    {
        { "native-peer", "ring/none/0.1K-1K/request/1/cpp-cs/spin", "ring/none/0.1K-1K/request/1/cs-cs/spin" },
        { "rival-adaptive", "uds/none/0.1K-1K/request/1/cs-cs/adaptive", "uds/none/0.1K-1K/request/1/cs-cs/spin" },
        { "framework-spin", "grpc-uds/google/0.1K-1K/request/1/cs-cs/spin", "grpc-uds/google/0.1K-1K/request/1/cs-cs/block" },
        { "framework-ipc-block", "grpc-ipc/google/0.1K-1K/request/1/cs-cs/block", "grpc-ipc/google/0.1K-1K/request/1/cs-cs/adaptive" },
        { "tcp-spin", "tcp/none/0.1K-1K/request/1/cs-cs/spin", "tcp/none/0.1K-1K/request/1/cs-cs/block" },
        { "pipe-spin", "duplexpipe/none/0.1K-1K/request/1/cs-cs/spin", "duplexpipe/none/0.1K-1K/request/1/cs-cs/block" },
        { "http2-serializer", "http2-uds/json/0.1K-1K/request/1/cs-cs/block", "http2-uds/none/0.1K-1K/request/1/cs-cs/block" },
        { "grpc-serializer", "grpc-uds/json/0.1K-1K/request/1/cs-cs/block", "grpc-uds/google/0.1K-1K/request/1/cs-cs/block" },
        { "jsonrpc-serializer", "jsonrpc-uds/none/0.1K-1K/request/1/cs-cs/block", "jsonrpc-uds/json/0.1K-1K/request/1/cs-cs/block" },
        { "rpc-serializer", "rpc/json/0.1K-1K/request/1/cs-cs/block", "rpc/messagepack/0.1K-1K/request/1/cs-cs/block" },
        { "oneway-request", "ring/none/oneway-0.1K/request/1/cs-cs/spin", "ring/none/oneway-0.1K/stream/1/cs-cs/spin" },
        { "framework-stream", "http2-uds/none/0.1K-1K/stream/1/cs-cs/block", "grpc-uds/google/0.1K-1K/stream/1/cs-cs/block" },
        { "unbatched", "queue/none/oneway-0.1K/stream/500/cs-cs/block", "queue/none/0.1K-1K/request/500/cs-cs/block" },
        { "stream-of-calls", "rpc/none/0.1K-1K/stream/500/cs-cs/block", "rpc/none/0.1K-1K/request/500/cs-cs/block" },
        { "framework-batch", "http2-uds/none/0.1K-1K/request/500/cs-cs/block", "http2-uds/none/0.1K-1K/request/1/cs-cs/block" },
        { "batch-large", "ring/none/1K-10K/request/500/cs-cs/block", "ring/none/1K-10K/request/1/cs-cs/block" },
        { "batch-steps", "ring/none/0.1K-1K/request/50/cs-cs/block", "ring/none/oneway-0.1K/stream/50/cs-cs/block" },
        { "serialized-one-way", "ring/json/oneway-3K/stream/1/cs-cs/block", "ring/none/oneway-3K/stream/1/cs-cs/block" },
        { "serializer-transport", "queue/json/0.1K-1K/request/1/cs-cs/block", "uds/json/0.1K-1K/request/1/cs-cs/block" },
        { "spin-large", "ring/none/100K-1M/request/1/cs-cs/spin", "ring/none/100K-1M/request/1/cs-cs/adaptive" },
        { "quick-shapes", "ring/none/400K-2M/request/1/cs-cs/adaptive", "ring/none/100K-1M/request/1/cs-cs/adaptive" },
        { "quick-large-wait", "ring/none/1K-10K/request/1/cs-cs/block", "uds/none/1K-10K/request/1/cs-cs/block" },
        { "quick-batch-wait", "ring/none/0.1K-1K/request/500/cs-cs/block", "ring/none/0.1K-1K/request/500/cs-cs/adaptive" },
        { "quick-serializer-wait", "ring/json/0.1K-1K/request/1/cs-cs/block", "ring/json/0.1K-1K/request/1/cs-cs/adaptive" },
        { "quick-serializer-stream", "ring/json/0.1K-1K/stream/1/cs-cs/adaptive", "grpc-uds/google/0.1K-1K/stream/1/cs-cs/block" },
        { "quick-stream-carrier", "ring/generated/0.1K-1K/stream/1/cs-cs/adaptive", "rpc/generated/0.1K-1K/stream/1/cs-cs/adaptive" },
        { "quick-stream-wait", "ring/none/0.1K-1K/stream/1/cs-cs/spin", "ring/none/0.1K-1K/stream/1/cs-cs/adaptive" },
        { "quick-one-way-3K", "queue/none/oneway-3K/stream/1/cs-cs/adaptive", "ring/none/oneway-3K/stream/1/cs-cs/adaptive" },
        { "quick-batched-stream", "ring/none/0.1K-1K/stream/500/cs-cs/adaptive", "ring/none/oneway-0.1K/stream/500/cs-cs/adaptive" },
        { "quick-serializer-batch", "ring/json/0.1K-1K/request/500/cs-cs/adaptive", "ring/json/0.1K-1K/request/1/cs-cs/adaptive" },
    };

    [Fact]
    public void AQuickRunHasEnoughCells() => Assert.InRange(Catalogue.Choose(quick: true, "*").Length, 150, 230); // more do not fit into five minutes

    [Fact]
    public void AFullRunHasWhatAQuickOneHas()
    {
        Cell[] full = Catalogue.Choose(quick: false, "*");
        Assert.Empty(Catalogue.Choose(quick: true, "*").Except(full));
    }

    [Fact]
    public void NamesAreUniqueAndSayEverything()
    {
        Cell[] cells = Catalogue.Choose(quick: false, "*");
        Assert.Equal(cells.Length, cells.Select(static cell => cell.Name).Distinct().Count());
        Assert.All(cells, static cell => Assert.Equal(cell, Cell.Parse(cell.Name)));
    }

    [Fact]
    public void EveryValueOfADimensionIsMeasuredButForThePairsToCome()
    {
        Cell[] cells = Catalogue.Choose(quick: false, "*");
        Assert.Equal(Transports.All.Order(), cells.Select(static cell => cell.Transport).Distinct().Order());
        Assert.Equal(Catalogue.Serializers.Order(), cells.Select(static cell => cell.Serializer).Distinct().Order());
        Assert.Equal(Shape.All.Select(static shape => shape.Name).Order(), cells.Select(static cell => cell.Shape).Distinct().Order());
        Assert.Equal(Catalogue.Modes.Order(), cells.Select(static cell => cell.Mode).Distinct().Order());
        Assert.Equal(Catalogue.Batches.Order(), cells.Select(static cell => cell.Batch).Distinct().Order());
        Assert.Equal(Catalogue.Waits.Order(), cells.Select(static cell => cell.Wait).Distinct().Order());
        Assert.Equal(["cs-cs"], cells.Select(static cell => cell.Pair).Distinct());
    }

    [Theory]
    [MemberData(nameof(Samples))]
    public void ARuleLeavesOutWhatItSays(string rule, string leftOut, string measured)
    {
        bool quick = rule.StartsWith("quick", StringComparison.Ordinal);
        Assert.Equal(rule, Rules.Of(Cell.Parse(leftOut), quick)?.Name);
        Assert.Null(Rules.Of(Cell.Parse(measured), quick));
    }

    [Fact]
    public void EveryRuleHasASampleAndAReason()
    {
        string[] rules = [.. Rules.Sense.Concat(Rules.Quick).Select(static rule => rule.Name)];
        Assert.Equal(rules.Order(), Samples.Select(static row => row.Data.Item1).Order());
        Assert.All(Rules.Sense.Concat(Rules.Quick), static rule => Assert.True(rule.Reason.Length > 20, rule.Name));
    }

    [Fact]
    public void TheListNamesTheCellsAndCountsWhatIsLeftOut()
    {
        using StringWriter list = new();
        Catalogue.List(list, quick: true, "ring/*");
        string[] lines = list.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string[] counts = [.. lines.Where(static line => line.Contains(" left out by ", StringComparison.Ordinal))];
        Assert.Equal(Rules.Sense.Count + Rules.Quick.Count, counts.Length);
        int all = Catalogue.Product().Count(static cell => cell.Transport == "ring");
        Assert.Equal(all, counts.Sum(static line => int.Parse(line.Trim().Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture)) + Catalogue.Choose(quick: true, "ring/*").Length);
    }

    [Fact]
    public void SeveralPatternsAreOneChoice() =>
        Assert.Equal(["ring", "uds"], Catalogue.Choose(quick: true, "ring/none/0.1K-1K/request/1/cs-cs/spin,uds/none/0.1K-1K/request/1/cs-cs/spin").Select(static cell => cell.Transport));
}
