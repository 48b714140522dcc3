using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>One client's place in a listener. Twin of <c>ipc_slot</c>; docs/wire-format.md section 5.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct ListenerSlot
{
    public const int ByteSize = 128;

    public const ulong Idle = 0;
    public const ulong Opening = 1;
    public const ulong Requested = 2;
    public const ulong Attached = 3;

    public const ulong MaxId = (1UL << 56) - 1;

    /// <summary>{connection id : 56, state : 8}; idle is 0 altogether.</summary>
    [FieldOffset(0)] public ulong Word;

    public static ulong WordOf(ulong connectionId, ulong state) => connectionId << 8 | state;

    public static ulong IdOf(ulong word) => word >> 8;

    public static ulong StateOf(ulong word) => word & 0xFF;
}
