using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>What stands before the payload in a slot. Twin of <c>ipc_slot_header</c>; docs/wire-format.md section
/// 8.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct SlotHeader
{
    public const int ByteSize = 32;
    public const uint Alignment = 128;
    public const uint MinBlockSize = 8;
    public const uint MaxBlockSize = 16 << 20;
    public const uint MinSlotCount = 2;
    public const uint MaxSlotCount = 1 << 20;

    /// <summary>The payload is a loan's descriptor.</summary>
    public const ushort LoanFlag = 1;

    [FieldOffset(0)] public ulong State; // SlotState: the only truth

    // Written by the sender, before Ready.
    [FieldOffset(8)] public uint Length;
    [FieldOffset(12)] public ushort Type;
    [FieldOffset(14)] public ushort Flags;
    [FieldOffset(16)] public ulong Key; // topic
    [FieldOffset(24)] public uint LoanLap; // with LoanFlag: the lap of the message that the descriptor is of

    [FieldOffset(28)] public uint Fetched; // topic: writers store 0 to have the line, nobody reads it

    /// <summary>Bytes from one slot to the next.</summary>
    public static ulong StrideOf(uint blockSize) =>
        ((ulong)blockSize + (ByteSize + Alignment - 1)) & ~(ulong)(Alignment - 1);
}
