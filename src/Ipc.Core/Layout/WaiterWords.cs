using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>A waiter in shared memory. Twin of <c>ipc_waiter</c>; docs/wire-format.md section 3.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal unsafe struct WaiterWords
{
    public const int ByteSize = 64;

    /// <summary>Bit 0 of <see cref="Word"/>: somebody sleeps, or is about to.</summary>
    public const uint SleeperBit = 1;

    /// <summary>Bits 1 to 31 count signals.</summary>
    public const uint SignalStep = 2;

    [FieldOffset(0)] public uint Word;
    [FieldOffset(4)] public uint FenceRequired; // 1: publishers must fence; sticky
    [FieldOffset(8)] public uint Wanted;        // 1: space wanted; only in a ring's space waiter

    // on Windows: who sleeps (docs/wire-format/windows.md section 5)
    [FieldOffset(16)] public fixed ulong Asleep[6];
}
