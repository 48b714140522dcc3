using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Ipc.Docs.Tests;

/// <summary>Where the documents are.</summary>
internal static class Repository
{
    public static string Root { get; } = Find();

    public static string PathOf(string file) => Path.Combine(Root, file);

    public static string Read(string file) => File.ReadAllText(PathOf(file));

    /// <summary>Every document, as a path from the top.</summary>
    public static IEnumerable<string> Documents()
        => Directory.EnumerateFiles(Root, "*.md", new EnumerationOptions { RecurseSubdirectories = true }).Select(static file => Path.GetRelativePath(Root, file))
            .Where(static file => !file.Split('/').Any(static part => part is "build" or "artifacts" or "bin" or "obj" or ".git")).Order();

    private static string Find()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder != null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Ipc.sln")))
                return folder.FullName;
        }

        throw new DirectoryNotFoundException("no Ipc.sln above " + AppContext.BaseDirectory);
    }
}
