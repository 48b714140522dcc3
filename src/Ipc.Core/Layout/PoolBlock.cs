using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>One row of a pool's block table. Twin of <c>ipc_pool_block</c>; docs/wire-format.md section 11.</summary>
/// <remarks><code>
/// state   63           32 31        16 15     8 7      0
///        +---------------+------------+--------+--------+
///        |  generation   |  owner     |   0    |  phase |
///        +---------------+------------+--------+--------+
/// </code></remarks>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct PoolBlock
{
    public const int ByteSize = 32;
    public const uint Free = 0;
    public const uint Owned = 1;
    public const uint Published = 2;

    [FieldOffset(0)] public ulong State;
    [FieldOffset(8)] public ulong Holder;   // by the owner, before Published: slot offset or record position
    // pages counted against the budget: by the owner, under the growth lock when it grows
    [FieldOffset(16)] public uint Claimed;
    [FieldOffset(20)] public uint Present;  // pages with memory behind them: by the owner [present]

    public static ulong StateOf(uint generation, uint owner, uint phase) =>
        (ulong)generation << 32 | (ulong)owner << 16 | phase;

    public static uint GenerationOf(ulong state) => (uint)(state >> 32);

    public static uint OwnerOf(ulong state) => (uint)(state >> 16) & 0xFFFF;

    /// <summary>Phase and the reserved byte above it: anything but the three phases is no state of this
    /// format.</summary>
    public static uint PhaseOf(ulong state) => (uint)state & 0xFFFF;

    /// <summary>The state after this one's last use.</summary>
    public static ulong Freed(ulong state) => StateOf(GenerationOf(state) + 1, 0, Free);
}
