using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The body of a queue region; its segment headers follow. Twin of <c>ipc_queue_header</c>;
/// docs/wire-format.md section 9.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct QueueHeader
{
    public const int ByteSize = 1024;
    public const uint MagicValue = 0x55455551; // "QUEU"
    public const uint MaxSegments = 256;
    public const uint SlotsAlignment = 4096;

    /// <summary>What a dead receiver held is dropped, not delivered again.</summary>
    public const uint DropOrphansFlag = 1;

    // Written once, by the creator.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint BlockSize;
    [FieldOffset(8)] public uint SlotCount;
    [FieldOffset(12)] public uint SegmentLimit;
    [FieldOffset(16)] public ulong Stride;
    [FieldOffset(24)] public ulong SegmentsOffset;
    [FieldOffset(32)] public ulong SegmentStride;
    [FieldOffset(40)] public uint Flags;
    [FieldOffset(44)] public uint MinExpansionDistance;
    [FieldOffset(48)] public ulong PoolOffset;

    // Under the region lock.
    [FieldOffset(128)] public uint Segments; // how many have memory behind them
    [FieldOffset(132)] public uint GrowthFailures;

    // Hints: QueueTurn words, CAS by anybody.
    [FieldOffset(256)] public ulong Send;
    [FieldOffset(384)] public ulong Receive;

    [FieldOffset(512)] public WaiterWords Data;  // receivers sleep here
    [FieldOffset(640)] public WaiterWords Space; // senders sleep here

    [FieldOffset(768)] public ulong Orphans;        // +1 at the end of every recovery
    [FieldOffset(776)] public ulong OrphansCleared; // CAS upward, receivers

    // Under the region lock.
    [FieldOffset(896)] public ulong Redelivered;
    [FieldOffset(904)] public ulong Dropped;
}
