using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The hints of one segment of a queue. Twin of <c>ipc_queue_segment_header</c>; docs/wire-format.md section
/// 9.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct QueueSegmentHeader
{
    public const int ByteSize = 384;

    [FieldOffset(0)] public ulong Tail;   // CAS from p to p + 1, by anybody
    [FieldOffset(128)] public ulong Head; // the same
    [FieldOffset(256)] public ulong Next; // what follows, as a QueueTurn word; under the region lock
}
