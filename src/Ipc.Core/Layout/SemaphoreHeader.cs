using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The body of a semaphore's region; the permit table (u32 each) follows. Twin of <c>ipc_semaphore_header</c>;
/// docs/wire-format.md section 12.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct SemaphoreHeader
{
    public const int ByteSize = 512;
    public const uint MagicValue = 0x414D4553; // "SEMA"
    public const uint MaxPermits = 4096;

    /// <summary>In a permit's word, alone: available, and the last holder died, or left, holding it.</summary>
    public const uint AbandonedPermit = 1u << 31;

    // Written once, by the creator.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint Permits;

    [FieldOffset(128)] public uint Abandoned;     // about how many permits are marked so: RMW
    [FieldOffset(256)] public WaiterWords Waiting; // who wants one sleeps here
}
