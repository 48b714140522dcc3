using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;

namespace Ipc.Mutation.Tests;

/// <summary>A folder for mutated sources and what they are compiled to, and one for the regions that mutants leave open when they die. Both go.</summary>
public sealed class Scratch : IDisposable
{
    private readonly RegionDirectory _regions = new();

    public string Folder { get; } = Directory.CreateTempSubdirectory("ipc-mutants-").FullName;

    /// <summary>What a program is told, with <paramref name="more"/>.</summary>
    public Dictionary<string, string> Environment(params (string Name, string Value)[] more)
    {
        Dictionary<string, string> all = new() { ["IPC_DIR"] = _regions.Path };
        foreach ((string name, string value) in more)
            all[name] = value;
        return all;
    }

    public string PathOf(params string[] names) => Path.Combine([Folder, .. names]);

    public void Dispose()
    {
        _regions.Dispose();
        Directory.Delete(Folder, recursive: true);
    }
}
