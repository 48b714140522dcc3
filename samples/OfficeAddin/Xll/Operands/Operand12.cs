using System.Runtime.InteropServices;

namespace OfficeAddin.Xll;

/// <summary>XLOPER12 in a 64-bit process: a value as Excel has exchanged it with add-ins since 2007.</summary>
[StructLayout(LayoutKind.Explicit, Size = 32)]
internal unsafe struct Operand12
{
    [FieldOffset(0)] public double Number;

    /// <summary>UTF-16; the first unit is the number of those that follow. Not terminated.</summary>
    [FieldOffset(0)] public char* Text;

    /// <summary>A boolean, an error code or an integer.</summary>
    [FieldOffset(0)] public int Small;

    /// <summary>Row by row.</summary>
    [FieldOffset(0)] public Operand12* Cells;
    [FieldOffset(8)] public int Rows;
    [FieldOffset(12)] public int Columns;

    [FieldOffset(24)] public int Type;
}
