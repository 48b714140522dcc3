using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>What a record or slot holds instead of a long payload. Twin of <c>ipc_loan_descriptor</c>;
/// docs/wire-format.md section 11.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct LoanDescriptor
{
    public const int ByteSize = 16;

    [FieldOffset(0)] public ushort Class;
    [FieldOffset(2)] public ushort Reserved;
    [FieldOffset(4)] public uint Index;
    [FieldOffset(8)] public uint Generation;
    [FieldOffset(12)] public uint Length;

    /// <summary>Puts it into a slot, two whole words: one that was put together in pieces could not be forwarded from
    /// the store buffer when it is copied at once.</summary>
    public readonly unsafe void WriteTo(void* at)
    {
        ((ulong*)at)[0] = (ulong)Index << 32 | (ulong)Reserved << 16 | Class;
        ((ulong*)at)[1] = (ulong)Length << 32 | Generation;
    }
}
