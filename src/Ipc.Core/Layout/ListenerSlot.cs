using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>One client's place in a listener. Twin of <c>ipc_listener_slot</c>; docs/wire-format.md section 5.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct ListenerSlot
{
    public const int ByteSize = 128;

    public const uint Idle = 0;
    public const uint Opening = 1;
    public const uint Requested = 2;
    public const uint Attached = 3;

    [FieldOffset(0)] public uint State;
    [FieldOffset(8)] public ulong ConnectionId;
}
