using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>The checked-in .proto files of a project, and which contract each belongs to.</summary>
internal sealed class Manifests
{
    private readonly List<Manifest> _all;
    private readonly ConcurrentDictionary<Manifest, bool> _taken = new();

    public Manifests(ImmutableArray<AdditionalText> files, CancellationToken cancel)
        => _all = files.Select(file => Manifest.Read(file, cancel)).Where(static m => m is not null).Select(static m => m!).OrderBy(static m => m.Path, System.StringComparer.Ordinal).ToList();

    /// <summary>Those that we wrote and nobody has asked for.</summary>
    public IEnumerable<Manifest> Orphans => _all.Where(m => m.File is { Origin.Length: > 0 } && !_taken.ContainsKey(m));

    public IEnumerable<Manifest> Unreadable => _all.Where(static m => m.File is null && m.IsGenerated);

    /// <summary>The file of a contract: by the service's name, or, when that has changed, by the interface's.</summary>
    public Manifest? Of(string serviceName, string origin)
    {
        Manifest? found = _all.Find(m => m.File?.Package == serviceName && m.IsGenerated)
            ?? _all.Find(m => m.File?.Package == serviceName && m.File.Methods.Count > 0)
            ?? _all.Find(m => m.File?.Origin == origin);
        if (found is not null)
            _taken.TryAdd(found, true);
        return found;
    }

    /// <summary>Where the file of a contract that has none yet goes: beside the interface's source file.</summary>
    public static string PathOf(string serviceName, string source)
        => Path.Combine(Path.GetDirectoryName(source) ?? "", serviceName + ".proto");
}
