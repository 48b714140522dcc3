using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The shared state of one ring. Twin of <c>ipc_ring_header</c>; docs/wire-format.md section 4.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct RingHeader
{
    public const int ByteSize = 1024;
    public const uint MagicValue = 0x474E4952; // "RING"
    public const ulong MinCapacity = 4096;
    public const ulong MaxCapacity = 1UL << 30;
    public const uint DataAlignment = 4096;
    public const ulong MaxPosition = 1UL << 62; // nobody gets there

    // Written once, by the creator.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(8)] public ulong Capacity;
    [FieldOffset(16)] public ulong DataOffset;
    [FieldOffset(24)] public ulong PoolOffset; // 0 none
    [FieldOffset(32)] public ulong Present; // in a connection only: bytes that have memory from the start; 0 all

    // Under the region lock: participant index + 1 (0 none), and what became of it (PeerState).
    [FieldOffset(128)] public uint Writer;
    [FieldOffset(132)] public uint WriterState;
    [FieldOffset(136)] public uint Reader;
    [FieldOffset(140)] public uint ReaderState;
    [FieldOffset(144)] public ulong RedeliverUntil; // by a reader that takes over from a dead one

    [FieldOffset(256)] public ulong ReadPosition; // by the reader [release]
    [FieldOffset(264)] public uint ReaderProcessor; // on which the reader last waited or woke somebody, + 1; 0 unknown
    [FieldOffset(272)] public ulong Acknowledged; // in a named connection only, by the reader [acknowledge]
    [FieldOffset(384)] public ulong FreePosition; // by the reader [reclaim]

    [FieldOffset(512)] public WaiterWords Data;  // the reader sleeps here
    [FieldOffset(576)] public uint WriterProcessor; // as the reader's, by the writer
    [FieldOffset(640)] public WaiterWords Space; // the writer sleeps here

    // A SpinWord, by the reader only: for people who look, on a line that no end reads.
    [FieldOffset(768)] public ulong ReaderSpin;
    [FieldOffset(896)] public ulong WriterSpin; // likewise
}
