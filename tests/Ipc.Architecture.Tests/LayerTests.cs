using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit;

namespace Ipc.Architecture.Tests;

/// <summary>A layer names the ones before it in its list and none behind it. The folders of the core are the same in both languages.</summary>
public sealed class LayerTests
{
    private static readonly string[] s_core =
    [
        "Platform", "Metrics", "Layout", "Waiting", "Regions", "Pools", "Slots", "Rings", "Queues", "Topics", "Sync", "Connections",
    ];

    private static readonly string[] s_rpc = ["Serialization", "Contracts", "Wire", "Telemetry", "Calls", "Handlers", "Client", "Server"];

    [Fact]
    public void ALayerOfTheCoreNamesNoneAboveIt() => Check(s_core, CSharpReferences.Of("src/Ipc.Core"));

    [Fact]
    public void ALayerOfTheCLibraryIncludesNoneAboveIt() =>
        Check([.. s_core.Select(static layer => layer.ToLowerInvariant())], CReferences.Of("src/Ipc.Native/src"));

    [Fact]
    public void EveryFolderOfTheCoreIsALayerAndHasItsTwin()
    {
        Assert.Equal(s_core.Order(), Folders("src/Ipc.Core"));
        Assert.Equal(s_core.Select(static layer => layer.ToLowerInvariant()).Except(["metrics"]).Order(), Folders("src/Ipc.Native/src")); // .NET has meters, C has ipc_queue_get_info
    }

    [Fact]
    public void EveryFolderOfTheCallsIsALayer() => Assert.Equal(s_rpc.Order(), Folders("src/Ipc.Rpc"));

    [Fact]
    public void ALayerOfTheCallsNamesNoneAboveIt() => Check(s_rpc, CSharpReferences.Of("src/Ipc.Rpc"));

    private static void Check(string[] layers, IReadOnlyList<Reference> references)
    {
        Assert.NotEmpty(references); // or nothing was understood
        Reference[] wrong = [.. references.Where(one => Array.IndexOf(layers, one.From) < Array.IndexOf(layers, one.To))];
        Assert.True(wrong.Length == 0, $"{wrong.Length} references go upwards:\n" + string.Join('\n', wrong.Take(60)));
    }

    private static IEnumerable<string> Folders(string library) => Directory.EnumerateDirectories(Repository.PathOf(library))
        .Select(static folder => Path.GetFileName(folder))
        .Where(static folder => folder is not ("bin" or "obj"))
        .Order();
}
