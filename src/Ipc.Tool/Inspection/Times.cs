using System;

namespace Ipc.Tool;

/// <summary>Times as regions have them: Unix time in nanoseconds, written by anybody.</summary>
internal static class Times
{
    public static DateTime FromUnix(ulong nanoseconds) => DateTime.UnixEpoch.AddTicks(
        (long)Math.Min(nanoseconds / 100, (ulong)(DateTime.MaxValue.Ticks - DateTime.UnixEpoch.Ticks)));
}
