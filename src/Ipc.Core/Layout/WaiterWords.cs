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

    /// <summary>Of <see cref="FenceRequired"/>: publishers must fence. Bits 3 to 31 count how often it was asked for
    /// now.</summary>
    public const uint Fence = 1;

    /// <summary>For now, else for good.</summary>
    public const uint ForNow = 2;

    /// <summary>For now, and whoever began to publish before that is done, or knows.</summary>
    public const uint Settled = 4;

    /// <summary>All three: whoever looks for one alone would take what nobody may write for an asking.</summary>
    public static bool IsSettled(uint fenceRequired) =>
        (fenceRequired & (Fence | ForNow | Settled)) == (Fence | ForNow | Settled);

    /// <summary>What an asking adds.</summary>
    public const uint Asking = 8;

    [FieldOffset(0)] public uint Word;
    [FieldOffset(4)] public uint FenceRequired; // set by a sleeper that cannot use membarrier, or that sleeps often
    [FieldOffset(8)] public uint Wanted;        // 1: space wanted; only in a ring's space waiter
    [FieldOffset(12)] public uint FenceCount;   // fences in a row that met nobody; while none are asked for: sleeps

    // on Windows: who sleeps (docs/wire-format/windows.md section 5)
    [FieldOffset(16)] public fixed ulong Asleep[6];
}
