using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Ipc.Rpc;
using Xunit;

namespace Ipc.Architecture.Tests;

/// <summary>A layer names the ones before it in its list and none behind it. The folders of the core are the same in both languages.</summary>
public sealed partial class LayerTests
{
    private static readonly string[] s_core =
    [
        "Platform", "Metrics", "Layout", "Waiting", "Regions", "Pools", "Slots", "Rings", "Queues", "Topics", "Sync", "Connections", "Named",
    ];

    private static readonly string[] s_rpc = ["Serialization", "Contracts", "Wire", "Telemetry", "Calls", "Once", "Handlers", "Client", "Server"];

    private static readonly string[] s_generator = ["Diagnostics", "Model", "Parsing", "Emit", "Drift", "Analysis", ""];

    private static readonly string[] s_tool =
    [
        "Output", "Cli", "Inspection", "Options", "Contracts", "Tapping", "Recordings", "Messages", "Peers", "Bench", "Doctor", "Gateway", "Pages", "Verbs", "",
    ];

    /// <summary>What a library is built on, besides the framework and packages.</summary>
    private static readonly Dictionary<string, string[]> s_libraries = new()
    {
        ["Ipc.Core"] = ["Ipc.Core.Analyzers"], // ships it
        ["Ipc.Core.Analyzers"] = [],
        ["Ipc.Rpc"] = ["Ipc.Core", "Ipc.Rpc.Generator", "Ipc.Rpc.CodeFixes"], // ships these two
        ["Ipc.Rpc.Generator"] = [],
        ["Ipc.Rpc.CodeFixes"] = ["Ipc.Rpc.Generator"],
        ["Ipc.Rpc.MessagePack"] = ["Ipc.Rpc"],
        ["Ipc.Rpc.ProtobufNet"] = ["Ipc.Rpc"],
        ["Ipc.Hosting"] = ["Ipc.Rpc"],
        ["Ipc.Hosting.RabbitMq"] = ["Ipc.Hosting", "Ipc.Rpc.RabbitMq"],
        ["Ipc.Grpc"] = ["Ipc.Rpc"],
        ["Ipc.Rpc.RabbitMq"] = ["Ipc.Rpc"],
        ["Ipc.Pipelines"] = ["Ipc.Core"],
        ["Ipc.Tcp"] = ["Ipc.Core"],
        ["Ipc.AspNetCore"] = ["Ipc.Pipelines"],
        ["Ipc.Tool"] = ["Ipc.Rpc", "Ipc.Rpc.RabbitMq", "Ipc.Tcp"],
        ["Ipc.Native"] = [], // the binding: the C library from C#, and nothing of Ipc.Core
    };

    [GeneratedRegex(@"<ProjectReference Include=""[^""]*/(?<name>[^/""]+)\.csproj""")]
    private static partial Regex ProjectReference { get; }

    [Fact]
    public void ALibraryIsBuiltOnThoseBelowItAndNoOthers()
    {
        string[] projects = [.. Repository.Files("src", ".csproj")];
        foreach (string project in projects)
        {
            string name = Path.GetFileNameWithoutExtension(project);
            Assert.True(s_libraries.ContainsKey(name), $"{name} is new: which libraries may it be built on?");
            IEnumerable<string> used = ProjectReference.Matches(File.ReadAllText(project)).Select(static match => match.Groups["name"].Value);
            Assert.Empty(used.Except(s_libraries[name]));
        }
    }

    /// <summary>As they were built: what they ask the runtime to load.</summary>
    [Theory]
    [InlineData(typeof(RingWriter))]
    [InlineData(typeof(RpcClient))]
    public void TheCoreAndTheCallsNeedTheFrameworkAlone(Type type) =>
        Assert.All(
            type.Assembly.GetReferencedAssemblies().Select(static one => one.Name!),
            static name => Assert.True(name.StartsWith("System.", StringComparison.Ordinal) || name is "Microsoft.Win32.Primitives" or "Ipc.Core", name));

    [Fact]
    public void ALayerOfTheGeneratorNamesNoneAboveIt() => Check(s_generator, CSharpReferences.Of("src/Ipc.Rpc.Generator"));

    [Fact]
    public void ALayerOfTheToolNamesNoneAboveIt() => Check(s_tool, CSharpReferences.Of("src/Ipc.Tool"));

    [Fact]
    public void EveryFolderOfTheGeneratorAndTheToolIsALayer()
    {
        Assert.Equal(s_generator.Where(static layer => layer.Length != 0).Order(), Folders("src/Ipc.Rpc.Generator"));
        Assert.Equal(s_tool.Where(static layer => layer.Length != 0).Order(), Folders("src/Ipc.Tool"));
    }

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
        .Where(static folder => Path.GetFileName(folder) is not ("bin" or "obj"))
        .Where(static folder => Directory.EnumerateFiles(folder, "*.?*", SearchOption.AllDirectories).Any(static file => Path.GetExtension(file) is ".cs" or ".c" or ".h"))
        .Select(static folder => Path.GetFileName(folder))
        .Order();
}
