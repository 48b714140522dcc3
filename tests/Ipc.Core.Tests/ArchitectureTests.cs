using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>What the folders promise. The layers themselves are checked by eng/check-code.sh, for both languages.</summary>
public sealed class ArchitectureTests
{
    private static readonly string s_core = Path.Combine(PeerPrograms.Top, "src", "Ipc.Core");

    private static IEnumerable<string> Sources => Directory.EnumerateFiles(s_core, "*.cs", SearchOption.AllDirectories)
        .Where(file => !file.Contains("/obj/", StringComparison.Ordinal) && !file.Contains("/bin/", StringComparison.Ordinal));

    [Fact]
    public void TheOrderingWordsHaveOneFile()
    {
        Assert.Equal(["Platform/Atomic.cs"], FilesThatMatch(@"\b(Volatile|Interlocked)\."));
        Assert.Empty(FilesThatMatch(@"\bvolatile\b"));
    }

    [Fact]
    public void OnlyThePlatformFolderCallsTheSystem() =>
        Assert.All(FilesThatMatch(@"\[DllImport|MemoryMappedFile\.|/proc/"), file => Assert.StartsWith("Platform/", file, StringComparison.Ordinal));

    [Fact]
    public void EveryFileCanBeReadInOneSitting() =>
        Assert.All(Sources, file => Assert.InRange(File.ReadLines(file).Count(), 1, 400));

    [Fact]
    public void EveryTypeOfThePublicSurfaceIsInOneNamespace() =>
        Assert.All(typeof(RingWriter).Assembly.GetExportedTypes(), type => Assert.Equal("Ipc", type.Namespace));

    private static string[] FilesThatMatch(string pattern) => Sources
        .Where(file => File.ReadLines(file).Any(line => Regex.IsMatch(WithoutComment(line), pattern)))
        .Select(file => Path.GetRelativePath(s_core, file))
        .OrderBy(file => file, StringComparer.Ordinal)
        .ToArray();

    private static string WithoutComment(string line)
    {
        int at = line.IndexOf("//", StringComparison.Ordinal);
        return at < 0 ? line : line[..at];
    }
}
