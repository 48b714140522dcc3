using System;
using System.Text;

namespace OfficeAddin.Xll;

/// <summary>Values as Gnumeric exchanges them, in the layout of Excel's older interface: UTF-8 of at most 255 bytes, 65,535 rows.</summary>
internal sealed unsafe class Excel4Operands : Operands
{
    public const int LongestText = byte.MaxValue;

    protected override int Size => sizeof(Operand4);

    protected override int MostRows => ushort.MaxValue;

    protected override int MostColumns => ushort.MaxValue;

    protected override int TypeOf(void* operand) => ((Operand4*)operand)->Type & OperandType.Mask;

    protected override (int Rows, int Columns, nint Cells) Shape(void* operand)
    {
        Operand4* array = (Operand4*)operand;
        return (array->Rows, array->Columns, (nint)array->Cells);
    }

    protected override double NumberOf(void* operand) => ((Operand4*)operand)->Number;

    protected override int SmallOf(void* operand)
    {
        Operand4* value = (Operand4*)operand;
        return TypeOf(operand) == OperandType.Integer ? value->Integer : value->Small;
    }

    protected override string TextOf(void* operand)
    {
        byte* text = ((Operand4*)operand)->Text;
        return text == null ? "" : Encoding.UTF8.GetString(text + 1, text[0]);
    }

    protected override void PutNumber(byte* operand, double value, int flags)
    {
        ((Operand4*)operand)->Number = value;
        ((Operand4*)operand)->Type = (ushort)(OperandType.Number | flags);
    }

    protected override void PutSmall(byte* operand, int value, int type)
    {
        // #GETTING_DATA is younger than this interface.
        bool unknown = (type & OperandType.Mask) == OperandType.Error && value == (int)CellError.GettingData;
        ((Operand4*)operand)->Small = unknown ? (ushort)CellError.NA : (ushort)value;
        ((Operand4*)operand)->Type = (ushort)type;
    }

    protected override void PutText(byte* operand, string text, ref byte* rest, int flags)
    {
        // Whole characters only: the encoder stops before the first one that does not fit.
        Encoding.UTF8.GetEncoder().Convert(text, new Span<byte>(rest + 1, Length(text)), flush: true, out _, out int length, out _);
        rest[0] = (byte)length;
        ((Operand4*)operand)->Text = rest;
        ((Operand4*)operand)->Type = (ushort)(OperandType.Text | flags);
        rest += TextSize(text);
    }

    protected override void PutArray(byte* operand, int rows, int columns, byte* cells, int flags)
    {
        Operand4* array = (Operand4*)operand;
        array->Cells = (Operand4*)cells;
        array->Rows = (ushort)rows;
        array->Columns = (ushort)columns;
        array->Type = (ushort)(OperandType.Array | flags);
    }

    /// <summary>The byte that counts, the text, and a terminator after all: Gnumeric copies with a function that looks for it.</summary>
    protected override int TextSize(string text) => 1 + Length(text) + 1;

    private static int Length(string text) => Math.Min(LongestText, Encoding.UTF8.GetByteCount(text));
}
