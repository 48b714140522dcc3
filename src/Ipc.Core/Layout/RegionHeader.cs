using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The first 1024 bytes of every region. Twin of <c>ipc_region_header</c>; docs/wire-format.md section
/// 2.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct RegionHeader
{
    public const int ByteSize = 1024;
    public const ulong MagicValue = 0x0A314E4752435049; // "IPCRGN1\n"
    public const ushort MajorVersion = 1;
    public const ushort MinorVersion = 0;
    public const int IdOffset = 48;
    public const int ChangeOffset = 256;

    public const uint Building = 0;
    public const uint Live = 1;
    public const uint Retired = 2;

    // Written once, by the creator.
    [FieldOffset(0)] public ulong Magic;
    [FieldOffset(8)] public ushort Major;
    [FieldOffset(10)] public ushort Minor;
    [FieldOffset(12)] public uint Kind;
    [FieldOffset(16)] public ulong TotalSize;
    [FieldOffset(24)] public uint ParticipantOffset;
    [FieldOffset(28)] public uint ParticipantCapacity;
    [FieldOffset(32)] public ulong BodyOffset;
    [FieldOffset(40)] public ulong BodySize;
    [FieldOffset(IdOffset)] public ulong RegionIdLow;
    [FieldOffset(56)] public ulong RegionIdHigh;
    [FieldOffset(64)] public ulong Created;
    [FieldOffset(72)] public uint CreatorPid;
    [FieldOffset(76)] public uint Lifetime;

    [FieldOffset(128)] public uint State;      // 1: by the creator; 2: by the last to leave or the reaper
    [FieldOffset(132)] public uint Recoveries; // under the region lock

    [FieldOffset(ChangeOffset)] public WaiterWords Change; // attach, detach, death, retirement
}
