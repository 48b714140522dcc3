using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The start of a pool; bits for its free blocks follow it, the block table begins on the next page. Twin of
/// <c>ipc_pool_header</c>; docs/wire-format.md section 11.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct PoolHeader
{
    public const int ByteSize = 256;
    public const uint MagicValue = 0x4C4F4F50; // "POOL"
    public const ulong Page = 4096;
    public const ulong MinBudget = Page;
    public const ulong MaxBudget = 64UL << 30;
    public const uint MaxBlocksOfClass = 256;

    /// <summary>Words of bits that say which blocks of a class are probably free.</summary>
    public const int FreeWords = 4;

    /// <summary>Where these begin (<see cref="FreeWords"/> for each class), and where the block table does.</summary>
    public const int FreeOffset = 1024;
    public const int TableOffset = 4096;

    // Written once, by the creator.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint Classes;
    [FieldOffset(8)] public ulong Budget;

    [FieldOffset(16)] public uint TableMissing; // in a connection only: 1 while the block table is a hole [present]

    [FieldOffset(128)] public ulong Exhausted; // by whoever found nothing; not exact
}
