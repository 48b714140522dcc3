using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The body of a mutex's region. Twin of <c>ipc_mutex_header</c>; docs/wire-format.md section 12.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct MutexHeader
{
    public const int ByteSize = 384;
    public const uint MagicValue = 0x5854554D; // "MUTX"

    /// <summary>In <see cref="Owner"/>, alone: the last owner died, or left, holding it.</summary>
    public const uint Abandoned = 1u << 31;

    [FieldOffset(0)] public uint Magic;          // once, by the creator
    [FieldOffset(128)] public uint Owner;        // 0 free, participant index + 1: CAS [owner]
    [FieldOffset(256)] public WaiterWords Waiting; // who wants it sleeps here
}
