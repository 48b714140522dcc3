using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>The 64-bit word in front of each record; docs/wire-format.md section 4.</summary>
/// <remarks><code>
///  63                               32 31                                0
/// +-+-+------------+----------------+------------------------------------+
/// |1|P|L reserved 0|  type (16)     |  payload length in bytes           |   0 = nothing published here
/// +-+-+------------+----------------+------------------------------------+
/// </code></remarks>
internal static class RecordHeader
{
    public const int ByteSize = 8;

    /// <summary>Records start on lines of this size.</summary>
    public const int Line = 64;

    /// <summary>The upper 16 bits of a published record that is not padding.</summary>
    public const ulong RecordTag = 0x8000;

    /// <summary>The upper 16 bits of padding.</summary>
    public const ulong PaddingTag = 0xC000;

    /// <summary>The upper 16 bits of a record whose payload is a loan's descriptor.</summary>
    public const ulong LoanTag = 0xA000;

    public const int TagShift = 48;

    /// <summary>Bytes in the ring that a payload of this length takes, header and rest of the line included.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong SizeOf(uint length) => ((ulong)length + (ByteSize + Line - 1)) & ~(ulong)(Line - 1);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(uint length, ushort type) => RecordTag << TagShift | (ulong)type << 32 | length;

    /// <summary>A record that holds a loan's descriptor.</summary>
    public static ulong OfLoan(ushort type) => LoanTag << TagShift | (ulong)type << 32 | LoanDescriptor.ByteSize;

    /// <summary>Padding that takes <paramref name="size"/> bytes, its own header included.</summary>
    public static ulong Padding(ulong size) => PaddingTag << TagShift | (size - ByteSize);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint LengthOf(ulong header) => (uint)header;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ushort TypeOf(ulong header) => (ushort)(header >> 32);
}
