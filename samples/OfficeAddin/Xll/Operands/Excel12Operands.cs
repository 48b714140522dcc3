using System;

namespace OfficeAddin.Xll;

/// <summary>Values as Excel 2007 and later exchange them: UTF-16, a million rows, 16,384 columns.</summary>
internal sealed unsafe class Excel12Operands : Operands
{
    /// <summary>The longest text of a cell.</summary>
    public const int LongestText = 32767;

    protected override int Size => sizeof(Operand12);

    protected override int MostRows => 1 << 20;

    protected override int MostColumns => 1 << 14;

    protected override int TypeOf(void* operand) => ((Operand12*)operand)->Type & OperandType.Mask;

    protected override (int Rows, int Columns, nint Cells) Shape(void* operand)
    {
        Operand12* array = (Operand12*)operand;
        return (array->Rows, array->Columns, (nint)array->Cells);
    }

    protected override double NumberOf(void* operand) => ((Operand12*)operand)->Number;

    protected override int SmallOf(void* operand) => ((Operand12*)operand)->Small;

    protected override string TextOf(void* operand)
    {
        char* text = ((Operand12*)operand)->Text;
        return text == null ? "" : new string(text, 1, Math.Min((int)text[0], LongestText));
    }

    protected override void PutNumber(byte* operand, double value, int flags)
    {
        ((Operand12*)operand)->Number = value;
        ((Operand12*)operand)->Type = OperandType.Number | flags;
    }

    protected override void PutSmall(byte* operand, int value, int type)
    {
        ((Operand12*)operand)->Small = value;
        ((Operand12*)operand)->Type = type;
    }

    protected override void PutText(byte* operand, string text, ref byte* rest, int flags)
    {
        int length = Length(text);
        char* to = (char*)rest;
        to[0] = (char)length;
        text.AsSpan(0, length).CopyTo(new Span<char>(to + 1, length));
        ((Operand12*)operand)->Text = to;
        ((Operand12*)operand)->Type = OperandType.Text | flags;
        rest += TextSize(text);
    }

    protected override void PutArray(byte* operand, int rows, int columns, byte* cells, int flags)
    {
        Operand12* array = (Operand12*)operand;
        array->Cells = (Operand12*)cells;
        array->Rows = rows;
        array->Columns = columns;
        array->Type = OperandType.Array | flags;
    }

    protected override int TextSize(string text) => (1 + Length(text)) * sizeof(char);

    /// <summary>What fits, without half a surrogate pair at its end.</summary>
    private static int Length(string text)
    {
        if (text.Length <= LongestText)
            return text.Length;
        return char.IsHighSurrogate(text[LongestText - 1]) ? LongestText - 1 : LongestText;
    }
}
