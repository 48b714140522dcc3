using System;
using System.Globalization;

namespace Ipc;

/// <content>The names of the files that clients make, where nobody but its owner can remove one: in the machine
/// directory.</content>
public sealed unsafe partial class Connection
{
    /// <summary>The server has the file, or will not: it may not be the one who can remove its name.</summary>
    private void RemoveName()
    {
        if (_listenerRegion.Share.IsMachine)
            _ = Os.Current.TryUnlink(ListenerEntrance.ConnectionPath(_listenerRegion, Id));
    }

    /// <summary>A client that was killed before its answer has left its file, and another one of its user removes it:
    /// under the listener's region lock, under which names are given, and if no slot names it.</summary>
    private void Sweep()
    {
        if (!_listenerRegion.Share.IsMachine)
            return;
        string path = _listenerRegion.Path;
        string directory = System.IO.Path.GetDirectoryName(path)!;
        string prefix = System.IO.Path.GetFileName(path) + "~";
        foreach (string name in Os.Current.NamesIn(directory))
        {
            if (name.Length != prefix.Length + 16 || !name.StartsWith(prefix, StringComparison.Ordinal))
                continue;
            string id = name.Substring(prefix.Length);
            if (ulong.TryParse(id, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong number) &&
                IsAskedFor(number))
                continue;
            string left = directory + "/" + name;
            if (Os.Current.UserOf(left) == Os.Current.User)
                _ = Os.Current.TryUnlink(left);
        }
    }

    private bool IsAskedFor(ulong id)
    {
        for (int index = 1; index < _entrance.SlotCount; index++)
        {
            // [slot]
            if (ListenerSlot.IdOf(Atomic.LoadAcquire(ref _entrance.Slot(_listenerRegion, index)->Word)) == id)
                return true;
        }

        return false;
    }
}
