using System.Runtime.InteropServices;

namespace OfficeAddin.Xll;

/// <summary>A value as automation passes it (VARIANT).</summary>
internal struct Variant
{
    public const ushort Integer = 3;
    public const ushort Double = 5;
    public const ushort Text = 8;
    public const ushort Error = 10;
    public const ushort Truth = 11;
    public const ushort Any = 12;

    public ushort Type;
    public ushort Reserved1, Reserved2, Reserved3;
    public Content Value;

    [StructLayout(LayoutKind.Explicit)]
    public struct Content
    {
        [FieldOffset(0)]
        public double Double;

        [FieldOffset(0)]
        public int Integer; // and an error

        [FieldOffset(0)]
        public short Truth;

        [FieldOffset(0)]
        public nint Text;

        [FieldOffset(0)]
        public Record Longest;
    }

    /// <summary>The largest of what a VARIANT may hold.</summary>
    public struct Record
    {
        public nint First, Second;
    }
}
