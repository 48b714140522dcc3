using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The body of an event's region. Twin of <c>ipc_event_header</c>; docs/wire-format.md section 12.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct EventHeader
{
    public const int ByteSize = 384;
    public const uint MagicValue = 0x544E5645; // "EVNT"

    // Written once, by the creator.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint Manual; // 1: stays set until it is reset

    [FieldOffset(128)] public uint Set;           // 0 or 1
    [FieldOffset(256)] public WaiterWords Waiting; // who waits for it sleeps here
}
