namespace OfficeAddin.Xll;

/// <summary>What an operand holds (xltype... of the Excel C API), without the flags that say whose memory it is.</summary>
internal static class OperandType
{
    public const int Number = 0x0001;
    public const int Text = 0x0002;
    public const int Boolean = 0x0004;
    public const int Error = 0x0010;
    public const int Array = 0x0040;
    public const int Missing = 0x0080;
    public const int Empty = 0x0100;
    public const int Integer = 0x0800;

    /// <summary>Everything but the flags.</summary>
    public const int Mask = 0x0FFF;

    /// <summary>The memory is the add-in's: the host gives it back through xlAutoFree or xlAutoFree12.</summary>
    public const int FreedByAddIn = 0x4000;
}
