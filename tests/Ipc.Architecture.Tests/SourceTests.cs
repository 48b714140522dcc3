using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Architecture.Tests;

/// <summary>What is promised of the sources as text: where the system is called, where orderings are written, how long a file is.</summary>
public sealed partial class SourceTests
{
    private const string Core = "src/Ipc.Core", Rpc = "src/Ipc.Rpc", Tcp = "src/Ipc.Tcp", RabbitMq = "src/Ipc.Rpc.RabbitMq", Hosted = "src/Ipc.Hosting.RabbitMq", C = "src/Ipc.Native/src", Cpp = "src/Ipc.Native/include/ipc/rpc";

    [GeneratedRegex(@"""([^""\\]|\\.)*""")]
    private static partial Regex Text { get; }

    [Fact]
    public void TheOrderingWordsOfTheCoreHaveOneFile()
    {
        Assert.Equal(["Platform/Atomic.cs"], Matching(Core, @"\b(Volatile|Interlocked)\.", ".cs"));
        Assert.Empty(Matching(Core, @"\bvolatile\b", ".cs"));
    }

    [Fact]
    public void OnlyThePlatformCallsTheSystemOrAsksWhichItIs()
    {
        Assert.All(
            Matching(Core, @"\b(DllImport|LibraryImport|OperatingSystem\.Is|RuntimeInformation\.IsOS)|MemoryMappedFile\.|""/proc/", ".cs"),
            static file => Assert.StartsWith("Platform/", file, StringComparison.Ordinal));
        Assert.Empty(Matching(Rpc, @"\b(DllImport|LibraryImport|OperatingSystem\.Is|RuntimeInformation\.IsOS)", ".cs"));
        Assert.All(
            Matching(C, @"^#.*\b(__linux__|_WIN32|__APPLE__|__unix__)", ".c", ".h"),
            static file => Assert.StartsWith("platform/", file, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(Core, ".cs", ".cs", 400)]
    [InlineData(Rpc, ".cs", ".cs", 400)]
    [InlineData(Tcp, ".cs", ".cs", 400)]
    [InlineData(RabbitMq, ".cs", ".cs", 400)]
    [InlineData(Hosted, ".cs", ".cs", 400)]
    [InlineData(C, ".c", ".h", 400)]
    [InlineData(Cpp, ".hpp", ".hpp", 400)]
    public void EveryFileCanBeReadInOneSitting(string folder, string extension, string other, int lines)
    {
        IReadOnlyList<string> files = Repository.Files(folder, extension, other);
        Assert.NotEmpty(files);
        Assert.DoesNotContain(files, file => File.ReadLines(file).Count() > lines);
    }

    /// <summary>Two files beside each other fit on a screen, and so does a review of them.</summary>
    [Theory]
    [InlineData(Core)]
    [InlineData(Rpc)]
    [InlineData(Tcp)]
    [InlineData(RabbitMq)]
    [InlineData(Hosted)]
    public void NoLineIsLongerThanTwoFilesSideBySideAllow(string folder) =>
        Assert.Empty(Repository.Files(folder, ".cs").SelectMany(static file => File.ReadLines(file)
            .Select((line, index) => (Place: $"{Path.GetFileName(file)}:{index + 1}", line.Length))
            .Where(static line => line.Length > 120)
            .Select(static line => line.Place)));

    private static string[] Matching(string folder, string pattern, params string[] extensions) =>
    [
        .. Repository.Files(folder, extensions)
            .Where(file => File.ReadLines(file).Any(line => Regex.IsMatch(WithoutComment(line), pattern)))
            .Select(file => Path.GetRelativePath(Repository.PathOf(folder), file))
            .Order(StringComparer.Ordinal),
    ];

    private static string WithoutComment(string line)
    {
        int at = Text.Replace(line, static text => new string('x', text.Length)).IndexOf("//", StringComparison.Ordinal);
        return at < 0 ? line : line[..at];
    }
}
