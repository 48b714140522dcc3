namespace Ipc;

/// <summary>The word in which an end says how long it spins, for people who look at it: {0 : 8, mode : 8,
/// interval : 16, budget in ns : 32}; 0: it does not say. Twin of spin_layout.h; docs/wire-format/performance.md.
/// </summary>
internal static class SpinWord
{
    public const uint Adapts = 1;
    public const uint Always = 2;
    public const uint Never = 3;

    public static ulong Of(uint mode, uint interval, uint nanoseconds) =>
        (ulong)mode << 48 | (ulong)(interval & 0xFFFF) << 32 | nanoseconds;

    public static uint ModeOf(ulong word) => (uint)(word >> 48) & 0xFF;

    public static uint IntervalOf(ulong word) => (uint)(word >> 32) & 0xFFFF;

    public static uint NanosecondsOf(ulong word) => (uint)word;
}
