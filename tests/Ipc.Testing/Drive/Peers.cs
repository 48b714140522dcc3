using System;
using System.Collections.Generic;
using System.Runtime.Versioning;
using System.Threading;

namespace Ipc.Testing.Drive;

/// <summary>Driven peers that outlive one test, because starting a process costs more than most tests do.</summary>
/// <remarks>
/// Every test takes the peers that it wants by language and place: two places of one language are two processes. A peer that
/// an earlier test killed, or left with an unanswered command, is replaced.
/// </remarks>
[SupportedOSPlatform("linux")]
public sealed class Peers : IDisposable
{
    private readonly Dictionary<(Language, string), Driven> _peers = [];
    private int _last;

    public RegionDirectory Directory { get; } = new();

    /// <summary>The long-lived peer of this language at this place.</summary>
    public Driven At(Language language, string place)
    {
        if (_peers.TryGetValue((language, place), out Driven? peer))
        {
            if (!peer.HasExited && peer.Outstanding == 0)
                return peer;
            peer.Dispose();
        }
        return _peers[(language, place)] = Driven.Start(language, Directory);
    }

    /// <summary>A peer that belongs to one test, because it will be killed or stopped.</summary>
    public Driven New(Language language, IReadOnlyDictionary<string, string>? environment = null) =>
        Driven.Start(language, Directory, environment);

    /// <summary>A region name, or an object number, that no other test has.</summary>
    public string NewName(string stem) => $"{stem}-{Interlocked.Increment(ref _last)}";

    public int NewId() => 1 + Interlocked.Increment(ref _last) % 900;

    public void Dispose()
    {
        foreach (Driven peer in _peers.Values)
            peer.Dispose();
        Directory.Dispose();
    }
}
