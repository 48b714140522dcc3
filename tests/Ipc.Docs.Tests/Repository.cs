using System;
using System.IO;

namespace Ipc.Docs.Tests;

/// <summary>Where the documents are.</summary>
internal static class Repository
{
    public static string Root { get; } = Find();

    public static string PathOf(string file) => Path.Combine(Root, file);

    public static string Read(string file) => File.ReadAllText(PathOf(file));

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
