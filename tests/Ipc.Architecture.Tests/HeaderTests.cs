using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Architecture.Tests;

/// <summary>The headers of C and C++: which includes which. What is in rpc/ is for users; what is in rpc/detail/ is not, and knows of the public ones only the words that both speak.</summary>
public sealed partial class HeaderTests
{
    private const string Include = "src/Ipc.Native/include", Calls = "ipc/rpc/", Detail = "ipc/rpc/detail/";

    /// <summary>Public headers that the library itself needs: what a call has, says and comes to. The others (client, server, caller, streams) stand above it.</summary>
    private static readonly string[] s_words =
    [
        "call_context", "call_options", "canceller", "client_interceptor", "client_options", "dispatch", "metadata", "method", "method_info", "observer", "server_interceptor", "server_options", "status",
    ];

    [GeneratedRegex(@"^#\s*include\s+""(?<file>[^""]+)""", RegexOptions.Multiline)]
    private static partial Regex Included { get; }

    [Fact]
    public void NoHeaderIncludesItselfByAnyWay()
    {
        Dictionary<string, string[]> includes = Includes();
        Assert.True(includes.Count > 80, $"only {includes.Count} headers were found");
        HashSet<string> sound = [];
        foreach (string header in includes.Keys)
            Visit(header, []);

        void Visit(string header, List<string> way)
        {
            Assert.False(way.Contains(header), "a circle: " + string.Join(" -> ", way) + " -> " + header);
            if (!sound.Add(header))
                return;
            foreach (string next in includes[header])
                Visit(next, [.. way, header]);
        }
    }

    [Fact]
    public void WhatIsInternalKnowsOfThePublicHeadersOnlyTheWords() => Assert.Empty(Includes()
        .Where(static one => one.Key.StartsWith(Detail, StringComparison.Ordinal))
        .SelectMany(static one => one.Value.Select(other => (From: one.Key, To: other)))
        .Where(static one => one.To.StartsWith(Calls, StringComparison.Ordinal) && !one.To.StartsWith(Detail, StringComparison.Ordinal))
        .Where(static one => !s_words.Contains(Path.GetFileNameWithoutExtension(one.To)))
        .Order());

    [Fact]
    public void WhatIsBelowTheCallsKnowsNothingOfThem() => Assert.Empty(Includes()
        .Where(static one => !one.Key.StartsWith(Calls, StringComparison.Ordinal) && one.Key != "ipc/rpc.hpp")
        .SelectMany(static one => one.Value.Select(other => (From: one.Key, To: other)))
        .Where(static one => one.To.StartsWith(Calls, StringComparison.Ordinal))
        .Order());

    [Fact]
    public void TheCHeadersIncludeNoneOfCpp() => Assert.Empty(Includes()
        .Where(static one => one.Key.EndsWith(".h", StringComparison.Ordinal))
        .SelectMany(static one => one.Value)
        .Where(static other => other.EndsWith(".hpp", StringComparison.Ordinal))
        .Order());

    private static Dictionary<string, string[]> Includes()
    {
        string top = Repository.PathOf(Include);
        return Repository.Files(Include, ".h", ".hpp").ToDictionary(
            file => Path.GetRelativePath(top, file),
            file => Included.Matches(File.ReadAllText(file)).Select(match => Path.GetRelativePath(top, Found(file, match.Groups["file"].Value))).ToArray());

        string Found(string from, string named)
        {
            string beside = Path.GetFullPath(Path.Combine(Path.GetDirectoryName(from)!, named));
            string file = File.Exists(beside) ? beside : Path.Combine(top, named);
            Assert.True(File.Exists(file), $"{from} includes {named}, which there is not");
            return file;
        }
    }
}
