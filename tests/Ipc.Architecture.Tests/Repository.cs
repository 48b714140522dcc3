using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Ipc.Architecture.Tests;

/// <summary>Files of the repository that these tests stand in.</summary>
internal static class Repository
{
    public static string Top { get; } = FindTop();

    public static string PathOf(string relative) => Path.Combine(Top, relative);

    /// <summary>Sources below a folder, sorted, without what builds have left there.</summary>
    public static IReadOnlyList<string> Files(string folder, params string[] extensions) => Directory
        .EnumerateFiles(PathOf(folder), "*", SearchOption.AllDirectories)
        .Where(file => extensions.Contains(Path.GetExtension(file)))
        .Where(static file => !file.Contains("/obj/", StringComparison.Ordinal) && !file.Contains("/bin/", StringComparison.Ordinal))
        .Order(StringComparer.Ordinal)
        .ToArray();

    private static string FindTop()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Ipc.sln")))
            folder = Path.GetDirectoryName(folder);
        return folder ?? throw new InvalidOperationException("These tests run from within the repository: Ipc.sln is in none of the folders above them.");
    }
}
