using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;

namespace Ipc.Mutation.Tests;

/// <summary>The mutated libraries of this run, each made when the first of its mutants is.</summary>
public sealed class CSharpMutants : IDisposable
{
    private readonly Scratch _scratch = new();
    private readonly Dictionary<string, CSharpLibrary> _libraries = [];

    public CSharpMutants()
    {
        // Test programs look for their peers in the repository that they are in: one that has nothing else.
        foreach (string linked in new[] { "build", "tests/peers/cs/Ipc.Peer" })
        {
            Directory.CreateDirectory(Path.GetDirectoryName(_scratch.PathOf("top", linked))!);
            Directory.CreateSymbolicLink(_scratch.PathOf("top", linked), Path.Combine(PeerPrograms.Top, linked));
        }

        File.WriteAllText(_scratch.PathOf("top", "Ipc.sln"), "");
    }

    internal static MutantList List { get; } = new("csharp.mutants");

    public bool IsCaught(Mutant mutant)
    {
        string name = mutant.Library!;
        if (!_libraries.TryGetValue(name, out CSharpLibrary? library))
        {
            library = new CSharpLibrary(_scratch, CSharpPlace.All.Single(place => place.Library == name), List.All.Where(other => other.Library == name),
                [.. List.Chosen.Where(other => other.Library == name)]);
            _libraries.Add(name, library);
        }

        return library.IsCaught(mutant);
    }

    public void Dispose() => _scratch.Dispose();
}
