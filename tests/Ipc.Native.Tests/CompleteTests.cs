using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>The binding has every function that the library exports, and no other: ipc.map is compared with the declarations.</summary>
public sealed partial class CompleteTests
{
    /// <summary>What is left out, and why.</summary>
    private static readonly Dictionary<string, string> s_leftOut = new()
    {
        ["ipc_check_version"] = "the loader compares the versions, and names both libraries when they do not fit",
        ["ipc_version"] = "the text of ipc_version_number",
        ["ipc_status_name"] = "NativeStatus has the names",
        ["ipc_connection_context"] = "a connection is one object here, which anything can be kept with",
        ["ipc_connection_set_context"] = "the same",
        ["ipc_ready_handle_create"] = "ready handles are for event loops over descriptors, which .NET does not have",
        ["ipc_ready_handle_destroy"] = "the same",
        ["ipc_ready_handle_disarm"] = "the same",
        ["ipc_ready_handle_descriptor"] = "the same",
        ["ipc_connect_arm"] = "the same",
        ["ipc_connect_begin"] = "the same",
        ["ipc_connect_end"] = "the same",
        ["ipc_connect_try"] = "the same",
        ["ipc_listener_arm"] = "the same",
        ["ipc_named_listener_arm"] = "the same",
        ["ipc_queue_arm"] = "the same",
        ["ipc_queue_arm_room"] = "the same",
        ["ipc_ring_arm"] = "the same",
        ["ipc_ring_arm_room"] = "the same",
        ["ipc_shared_event_arm"] = "the same",
        ["ipc_shared_mutex_arm"] = "the same",
        ["ipc_shared_semaphore_arm"] = "the same",
        ["ipc_topic_arm"] = "the same",
        ["ipc_topic_arm_room"] = "the same",
    };

    [GeneratedRegex(@"^\s+(?<name>ipc_[a-z0-9_]+);", RegexOptions.Multiline)]
    private static partial Regex Exported { get; }

    [Fact]
    public void EveryExportedFunctionIsDeclaredOrLeftOutForAReason()
    {
        string[] exported = [.. Exported.Matches(File.ReadAllText(Map())).Select(static match => match.Groups["name"].Value).Order(StringComparer.Ordinal)];
        string[] declared = [.. Declared().Select(static method => method.Name).Order(StringComparer.Ordinal)];
        Assert.True(exported.Length > 130, $"only {exported.Length} functions were found in ipc.map");
        Assert.Equal(exported, declared.Concat(s_leftOut.Keys).Order(StringComparer.Ordinal));
    }

    /// <summary>A declaration that does not fit the library is found when it is called, which may be never.</summary>
    [Fact]
    public void EveryDeclaredFunctionIsInTheLibrary()
    {
        IntPtr library = NativeLibrary.Load(NativeBuild.Library);
        Assert.All(Declared(), method => Assert.True(NativeLibrary.TryGetExport(library, method.Name, out _), method.Name));
    }

    private static IEnumerable<MethodInfo> Declared() => typeof(IpcNative).Assembly.GetType("Ipc.Native.NativeMethods", throwOnError: true)!
        .GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly)
        .Where(static method => method.GetCustomAttribute<DllImportAttribute>() is not null);

    private static string Map([CallerFilePath] string path = "") =>
        Path.Combine(Path.GetDirectoryName(path)!, "..", "..", "src", "Ipc.Native", "ipc.map");
}
