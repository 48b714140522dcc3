using System;
using System.Runtime.InteropServices;

namespace OfficeAddin.Xll;

/// <summary>Values to and from the host, in the host's layout. Stateless, so any number of threads may use it.</summary>
/// <remarks>
/// What comes in belongs to the host and is copied at once. It is somebody else's memory, so its numbers are checked before they are used: a
/// shape of no or of too many cells, a missing pointer, an array within an array and a type that no worksheet function is given all become errors.
///
/// What goes out is one native block: the operand, then the cells of an array, then the text of all of them. The host reads a result and gives
/// it back (xlAutoFree, xlAutoFree12), so that one free is enough, whatever the value was, and no table of what is outstanding is needed. An
/// argument of a call-back is the same block without the flag that says so: Excel would take the flag for a part of the type.
/// </remarks>
internal abstract unsafe class Operands
{
    /// <summary>More than this in one value is refused: four whole columns of a worksheet.</summary>
    public const int MostCells = 4 << 20;

    private static readonly CellValue Refused = CellValue.Of(CellError.Value);

    protected abstract int Size { get; }

    protected abstract int MostRows { get; }

    protected abstract int MostColumns { get; }

    /// <summary>The argument as a grid: a single value is one of 1 x 1. Null when it was left out.</summary>
    public CellGrid? Read(void* operand)
    {
        if (operand == null || TypeOf(operand) == OperandType.Missing)
            return null;
        if (TypeOf(operand) != OperandType.Array)
            return CellGrid.Of(ReadCell(operand));

        (int rows, int columns, nint cells) = Shape(operand);
        if (rows <= 0 || columns <= 0 || cells == 0 || (long)rows * columns > MostCells)
            return CellGrid.Of(Refused);

        CellValue[] values = new CellValue[rows * columns];
        for (int i = 0; i < values.Length; i++)
            values[i] = ReadCell((byte*)cells + (long)i * Size);
        return new CellGrid(rows, columns, values);
    }

    /// <summary>A result for the host, which gives it back to <see cref="Free"/>. One that no operand can hold becomes #VALUE!.</summary>
    public void* Return(CellGrid grid) => New(grid, OperandType.FreedByAddIn);

    /// <summary>The same for a call-back of the host, which only reads it: <see cref="Free"/> it afterwards.</summary>
    public void* Argument(CellGrid grid) => New(grid, 0);

    public void* Return(in CellValue value) => New(value, OperandType.FreedByAddIn);

    /// <summary>A value for a call-back of the host, which only reads it: <see cref="Free"/> it afterwards.</summary>
    public void* Argument(in CellValue value) => New(value, 0);

    public static void Free(void* operand) => NativeMemory.Free(operand);

    /// <summary>An operand that has been left as the host allocates it: zeroed, to be filled by a call-back.</summary>
    public void* Blank() => NativeMemory.AllocZeroed((nuint)Size);

    /// <summary>Null when it is something else.</summary>
    public double? Number(void* operand) => TypeOf(operand) == OperandType.Number ? NumberOf(operand) : null;

    /// <summary>What a cell shows as a number or date; null for a date that the host's calendar does not have.</summary>
    public static double? NumberOf(in CellValue value) => value.Kind == CellKind.Date ? CellDates.Serial(value.Days, Settings.CountsFrom1904) : value.Number;

    protected abstract int TypeOf(void* operand);

    protected abstract (int Rows, int Columns, nint Cells) Shape(void* operand);

    protected abstract double NumberOf(void* operand);

    /// <summary>A boolean, an error or an integer.</summary>
    protected abstract int SmallOf(void* operand);

    protected abstract string TextOf(void* operand);

    protected abstract void PutNumber(byte* operand, double value, int flags);

    protected abstract void PutSmall(byte* operand, int value, int type);

    /// <summary>Writes the text to <paramref name="rest"/>, as much as the host can hold, and moves that behind it.</summary>
    protected abstract void PutText(byte* operand, string text, ref byte* rest, int flags);

    protected abstract void PutArray(byte* operand, int rows, int columns, byte* cells, int flags);

    /// <summary>How many bytes <see cref="PutText"/> uses at most.</summary>
    protected abstract int TextSize(string text);

    private void* New(CellGrid grid, int flags)
    {
        if (grid.Rows == 1 && grid.Columns == 1)
            return New(grid[0, 0], flags);
        ReadOnlySpan<CellValue> cells = grid.RowMajor;
        if (cells.Length is 0 or > MostCells || grid.Rows > MostRows || grid.Columns > MostColumns)
            return New(Refused, flags);

        long text = 0;
        foreach (ref readonly CellValue value in cells)
            text += TextSize(value);
        byte* block = (byte*)NativeMemory.AllocZeroed((nuint)((cells.Length + 1L) * Size + text));
        byte* cell = block + Size;
        byte* rest = cell + (long)cells.Length * Size;
        PutArray(block, grid.Rows, grid.Columns, cell, flags);
        foreach (ref readonly CellValue value in cells)
        {
            Put(cell, value, ref rest, 0);
            cell += Size;
        }

        return block;
    }

    private void* New(in CellValue value, int flags)
    {
        byte* block = (byte*)NativeMemory.AllocZeroed((nuint)(Size + TextSize(value)));
        byte* rest = block + Size;
        Put(block, value, ref rest, flags);
        return block;
    }

    private int TextSize(in CellValue value) => value.Kind switch
    {
        CellKind.Text => TextSize(value.Text),
        CellKind.Empty => TextSize(""),
        _ => 0,
    };

    private CellValue ReadCell(void* operand) => TypeOf(operand) switch
    {
        OperandType.Number => CellValue.Of(NumberOf(operand)),
        OperandType.Integer => CellValue.Of(SmallOf(operand)),
        OperandType.Boolean => CellValue.Of(SmallOf(operand) != 0),
        OperandType.Text => CellValue.Of(TextOf(operand)),
        OperandType.Error => CellValue.Of((CellError)SmallOf(operand)),
        OperandType.Empty or OperandType.Missing => CellValue.Empty,
        _ => Refused,
    };

    private void Put(byte* operand, in CellValue value, ref byte* rest, int flags)
    {
        switch (value.Kind)
        {
            case CellKind.Number or CellKind.Date when NumberOf(value) is { } number && double.IsFinite(number):
                PutNumber(operand, number, flags);
                break;
            case CellKind.Number or CellKind.Date: // no cell can hold it
                PutSmall(operand, (int)CellError.Num, OperandType.Error | flags);
                break;
            case CellKind.Boolean:
                PutSmall(operand, value.Boolean ? 1 : 0, OperandType.Boolean | flags);
                break;
            case CellKind.Text:
                PutText(operand, value.Text, ref rest, flags);
                break;
            case CellKind.Empty: // Excel would show an empty operand as 0, which is a value like any other
                PutText(operand, "", ref rest, flags);
                break;
            default:
                PutSmall(operand, (int)value.Error, OperandType.Error | flags);
                break;
        }
    }
}
