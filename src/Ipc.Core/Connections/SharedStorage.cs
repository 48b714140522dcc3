using System;
using System.Collections.Generic;

namespace Ipc;

/// <summary>Lists and removes the regions in the region directory.</summary>
public static class SharedStorage
{
    /// <summary>Removes the region of exactly that name (a named connection's is <c>SERVER~~CLIENT</c>), of any kind,
    /// with its contents: also if it is persistent, holds unread messages, or was left behind by dead
    /// processes.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">InUse: a live participant is attached; the message has its process. Corrupt: the
    /// file of that name is not a region.</exception>
    public static bool Clear(string name)
    {
        RegionName.CheckExisting(name);
        return Region.Clear(name, EntranceOf);
    }

    /// <summary>Lists the regions whose names begin with <paramref name="prefix"/>. An application that gives all its
    /// names the same prefix ("shop.orders", "shop.prices") can list and clear its own.</summary>
    /// <param name="prefix">The first characters of the names; empty for all regions of this user, <c>machine/</c> for
    /// those of the machine.</param>
    /// <returns>The regions in the order of their names. Others may appear and disappear meanwhile. Regions that dead
    /// processes have left behind are listed until they are opened or cleared.</returns>
    /// <exception cref="IpcException">The directory cannot be read.</exception>
    public static IReadOnlyList<SharedStorageInfo> List(string prefix = "")
    {
        Throw.IfNull(prefix, nameof(prefix));
        List<SharedStorageInfo> found = new();
        string place = RegionName.IsOfMachine(prefix) ? RegionName.Machine : "";
        string directory = place.Length != 0 ? Os.Current.MachineDirectory() : Os.Current.RegionDirectory();
        foreach (string name in Os.Current.NamesIn(directory))
        {
            if (!(place + name).StartsWith(prefix, StringComparison.Ordinal) ||
                !(RegionName.IsOne(name) || RegionName.IsOfTwo(name)))
            {
                continue;
            }

            try
            {
                using RegionFile? file = Os.Current.OpenFileToLook(directory + "/" + name);
                if (file is not null)
                    found.Add(new SharedStorageInfo(place + name, KindOf(file)));
            }
            catch (IpcException error) when (place.Length != 0 && error.Status == IpcStatus.AccessDenied)
            {
                found.Add(new SharedStorageInfo(place + name, SharedStorageKind.Unknown)); // shared with others than us
            }
        }

        found.Sort(static (left, right) => string.CompareOrdinal(left.Name, right.Name));
        return found;
    }

    private static SharedStorageKind KindOf(RegionFile file)
    {
        KindNumber kind = Region.KindOf(file);
        return kind is KindNumber.OfRing or KindNumber.OfListener or KindNumber.OfQueue or KindNumber.OfTopic or
            KindNumber.OfMutex or KindNumber.OfSemaphore or KindNumber.OfEvent or KindNumber.OfNamedConnection
            ? (SharedStorageKind)kind
            : SharedStorageKind.Unknown;
    }

    /// <summary>As <see cref="Clear"/>, for what a crash has left only: what is persistent or holds messages stays.
    /// Looked at under its lock, so nobody who joins meanwhile loses it.</summary>
    internal static bool ClearLeftOver(string name) => Region.Clear(name, JudgeOf, onlyLeftOver: true);

    /// <summary>As <see cref="Clear"/>; if need be from under those who use it, who go on by themselves.</summary>
    internal static bool Remove(string name, bool evenIfUsed)
    {
        RegionName.CheckExisting(name);
        return Region.Clear(name, EntranceOf, evenIfUsed: evenIfUsed);
    }

    /// <summary>Those who know whether it holds messages.</summary>
    private static RegionEntrance JudgeOf(KindNumber kind) => kind switch
    {
        KindNumber.OfQueue => new QueueEntrance(new QueueOptions()),
        KindNumber.OfRing => new RingEntrance(new RingOptions(), isWriter: true),
        _ => EntranceOf(kind),
    };

    private static RegionEntrance EntranceOf(KindNumber kind) =>
        kind == KindNumber.OfListener ? ListenerEntrance.ForClient(Access.User) : new StorageEntrance(kind);
}
