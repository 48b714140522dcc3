using System;
using System.Globalization;
using System.Linq;

namespace Ipc.Tool;

/// <summary>Whose a connection's file is: it has no participants, its listener's slot names it (docs/wire-format.md section 5).</summary>
internal static class ConnectionOwner
{
    /// <summary>A living client of a living listener has that connection. The slot is written before the file has its name, so who is seen here first is seen there too.</summary>
    public static bool IsAlive(string directory, string connectionName)
    {
        int mark = connectionName.LastIndexOf('~');
        if (mark <= 0 || !ulong.TryParse(connectionName.AsSpan(mark + 1), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out _))
            return false;
        string id = connectionName[(mark + 1)..];
        RegionReport? listener = Inspector.One(directory, connectionName[..mark], InspectionDepth.Quick);
        if (listener?.State == RegionState.Unreadable)
            return true; // another user's, perhaps: who lives there is not for this one to say
        return listener?.State is RegionState.Live or RegionState.Damaged &&
            (listener.Listener is null || listener.Listener.Slots.Any(slot => slot.ConnectionId == id && slot.Alive));
    }
}
