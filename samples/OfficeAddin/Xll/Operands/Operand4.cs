using System.Runtime.InteropServices;

namespace OfficeAddin.Xll;

/// <summary>XLOPER in a 64-bit process: the older form of a value, which Gnumeric uses.</summary>
[StructLayout(LayoutKind.Explicit, Size = 24)]
internal unsafe struct Operand4
{
    [FieldOffset(0)] public double Number;

    /// <summary>Bytes (UTF-8 with Gnumeric); the first is the number of those that follow. Not terminated.</summary>
    [FieldOffset(0)] public byte* Text;

    /// <summary>A boolean or an error code.</summary>
    [FieldOffset(0)] public ushort Small;
    [FieldOffset(0)] public short Integer;

    /// <summary>Row by row.</summary>
    [FieldOffset(0)] public Operand4* Cells;
    [FieldOffset(8)] public ushort Rows;
    [FieldOffset(10)] public ushort Columns;

    [FieldOffset(16)] public ushort Type;
}
