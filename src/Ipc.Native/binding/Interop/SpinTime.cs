using System;

namespace Ipc.Native;

/// <summary>A spin limit as the library has it.</summary>
internal static class SpinTime
{
    public static ulong Of(TimeSpan limit) => limit >= TimeSpan.Zero
        ? (ulong)Math.Min(limit.Ticks, long.MaxValue / 100) * 100
        : throw new ArgumentOutOfRangeException(nameof(limit), limit, "A spin limit cannot be negative.");
}
