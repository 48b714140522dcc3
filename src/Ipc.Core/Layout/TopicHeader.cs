using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The body of a topic region. Twin of <c>ipc_topic_header</c>; docs/wire-format.md section 10.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal unsafe struct TopicHeader
{
    public const int ByteSize = 1024;
    public const uint MagicValue = 0x43504F54; // "TOPC"
    public const int ActiveWords = 64;
    public const uint SingleWriterFlag = 1;
    public const int PolicyShift = 8; // bit 8 + policy: readers may choose it
    public const uint MaxReaderCount = 1024;

    // Written once, by the creator.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint BlockSize;
    [FieldOffset(8)] public uint SlotCount;
    [FieldOffset(12)] public uint MaxReaders;
    [FieldOffset(16)] public ulong Stride;
    [FieldOffset(24)] public ulong SlotsOffset;
    [FieldOffset(32)] public ulong ReadersOffset;
    [FieldOffset(40)] public uint Flags;
    [FieldOffset(48)] public ulong PoolOffset;

    [FieldOffset(128)] public ulong Tail;      // a hint; CAS, writers
    [FieldOffset(136)] public ulong Evictions; // add, writers

    [FieldOffset(256)] public WaiterWords Data;  // readers sleep here
    [FieldOffset(384)] public WaiterWords Space; // writers sleep here

    // bit i: participant i is a reader; under the region lock
    [FieldOffset(512)] public fixed ulong Active[ActiveWords];
}
