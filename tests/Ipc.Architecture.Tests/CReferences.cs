using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Ipc.Architecture.Tests;

/// <summary>Which folder of the C library, or which header of the C++ one, includes which other.</summary>
internal static partial class CReferences
{
    [GeneratedRegex(@"^#\s*include\s+""(?<file>[^""]+)""", RegexOptions.Multiline)]
    private static partial Regex Include { get; }

    public static IReadOnlyList<Reference> Of(string library) =>
        [.. Repository.Files(library, ".c", ".h").SelectMany(file => Of(library, file)).Distinct()];

    private static IEnumerable<Reference> Of(string library, string file)
    {
        string from = FolderOf(Path.GetRelativePath(Repository.PathOf(library), file));
        foreach (Match match in Include.Matches(File.ReadAllText(file)))
        {
            string included = match.Groups["file"].Value;
            string to = FolderOf(included);
            if (to.Length != 0 && to != from)
                yield return new Reference(from, to, Path.GetRelativePath(Repository.PathOf(library), file), included);
        }
    }

    private static string FolderOf(string file) => file.Contains('/', StringComparison.Ordinal) ? file[..file.IndexOf('/', StringComparison.Ordinal)] : "";
}
