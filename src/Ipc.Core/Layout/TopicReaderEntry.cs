using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>One reader's place in a topic. Twin of <c>ipc_topic_reader_entry</c>; docs/wire-format.md section
/// 10.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct TopicReaderEntry
{
    public const int ByteSize = 128;

    public const uint None = 0;
    public const uint Active = 1;
    public const uint Evicted = 2;

    /// <summary>Bits 0 to 7 of the state; the others count the times that the entry became active.</summary>
    public const uint PhaseMask = 0xFF;

    // By the reader; the step from active to evicted, and the tail at that moment, by a writer.
    [FieldOffset(0)] public uint State;
    [FieldOffset(4)] public uint Policy;
    [FieldOffset(8)] public ulong Cursor; // everything before it is done with [cursor]
    [FieldOffset(16)] public ulong Lost;
    [FieldOffset(24)] public ulong Joined; // the tail it began at [join]
    [FieldOffset(32)] public ulong EvictedAt;

    public static uint PhaseOf(uint state) => state & PhaseMask;

    /// <summary>Active anew: no other state word of this entry was ever like it, so a late eviction of its predecessor
    /// misses.</summary>
    public static uint NextActive(uint state) => Vacated(state) + (PhaseMask + 1) + Active;

    public static uint EvictedFrom(uint state) => Vacated(state) + Evicted;

    public static uint Vacated(uint state) => state & ~PhaseMask;
}
