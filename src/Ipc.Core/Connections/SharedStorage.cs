namespace Ipc;

/// <summary>What lies in the region directory under a name.</summary>
public static class SharedStorage
{
    /// <summary>Removes the storage of exactly that name, persistent or left over, whatever its kind.</summary>
    /// <returns>False: there is none.</returns>
    /// <exception cref="IpcException">InUse: a live participant is attached; the message says of which process. Corrupt: what has that name is not a region.</exception>
    public static bool Clear(string name)
    {
        RegionName.Check(name);
        return Region.Clear(name, RulesOf);
    }

    /// <summary>The same, for what a crash has left only: a region that is persistent stays. Looked at under its lock, so nobody who joins meanwhile loses it.</summary>
    internal static bool ClearLeftOver(string name) => Region.Clear(name, RulesOf, onlyLeftOver: true);

    private static RegionRules RulesOf(RegionKind kind) => kind == RegionKind.OfListener ? ListenerRules.ForClient() : new StorageRules(kind);
}
