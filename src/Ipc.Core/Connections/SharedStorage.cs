namespace Ipc;

/// <summary>What lies in the region directory under a name.</summary>
public static class SharedStorage
{
    /// <summary>Removes the storage of exactly that name, with what is in it: persistent, with messages that nobody has
    /// received, or left over; whatever its kind.</summary>
    /// <returns>False: there is none.</returns>
    /// <exception cref="IpcException">InUse: a live participant is attached; the message says of which process.
    /// Corrupt: what has that name is not a region.</exception>
    public static bool Clear(string name)
    {
        RegionName.Check(name);
        return Region.Clear(name, RulesOf);
    }

    /// <summary>The same, for what a crash has left only: what is persistent or holds messages stays. Looked at under
    /// its lock, so nobody who joins meanwhile loses it.</summary>
    internal static bool ClearLeftOver(string name) => Region.Clear(name, JudgeOf, onlyLeftOver: true);

    /// <summary>As <see cref="Clear"/>; if need be from under those who use it, who go on by themselves.</summary>
    internal static bool Remove(string name, bool evenIfUsed)
    {
        RegionName.Check(name);
        return Region.Clear(name, RulesOf, evenIfUsed: evenIfUsed);
    }

    /// <summary>Those who know whether it holds messages.</summary>
    private static RegionRules JudgeOf(RegionKind kind) => kind switch
    {
        RegionKind.OfQueue => new QueueRules(new QueueOptions()),
        RegionKind.OfRing => new RingRules(new RingOptions(), isWriter: true),
        _ => RulesOf(kind),
    };

    private static RegionRules RulesOf(RegionKind kind) =>
        kind == RegionKind.OfListener ? ListenerRules.ForClient() : new StorageRules(kind);
}
