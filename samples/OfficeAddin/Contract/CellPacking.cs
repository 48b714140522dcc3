using System;
using System.Collections.Generic;
using System.IO;

namespace OfficeAddin;

/// <summary>Between tables and the form in which they travel; <see cref="Cells"/> has the bytes.</summary>
public static class CellPacking
{
    private const byte Empty = 0, Number = 1, Text = 2, False = 3, True = 4, Date = 5, FirstError = 128, LastError = 255;

    public static Cells Pack(CellGrid grid) => Pack(grid.Rows, grid.Columns, grid.RowMajor);

    public static Cells Pack(int rows, int columns, ReadOnlySpan<CellValue> rowMajor)
    {
        var kinds = new byte[rowMajor.Length];
        var cells = new Cells { Rows = rows, Columns = columns, Kinds = kinds };
        for (int i = 0; i < rowMajor.Length; i++)
        {
            CellValue value = rowMajor[i];
            switch (value.Kind)
            {
                case CellKind.Empty:
                    break;
                case CellKind.Number:
                    kinds[i] = Number;
                    cells.Numbers.Add(value.Number);
                    break;
                case CellKind.Text:
                    kinds[i] = Text;
                    cells.Texts.Add(value.Text);
                    break;
                case CellKind.Boolean:
                    kinds[i] = value.Boolean ? True : False;
                    break;
                case CellKind.Date:
                    kinds[i] = Date;
                    cells.Numbers.Add(value.Days);
                    break;
                default:
                    kinds[i] = (byte)(FirstError + CodeOf(value.Error));
                    break;
            }
        }
        return cells;
    }

    /// <exception cref="InvalidDataException">It is not a table: what it says of itself does not agree.</exception>
    public static CellGrid Unpack(Cells cells)
    {
        byte[] kinds = cells.Kinds;
        List<double> numbers = cells.Numbers;
        List<string> texts = cells.Texts;
        if (cells.Rows < 0 || cells.Columns < 0 || (long)cells.Rows * cells.Columns != kinds.Length)
            throw new InvalidDataException($"{kinds.Length} cells do not make a table of {cells.Rows} x {cells.Columns}");
        var values = new CellValue[kinds.Length];
        int number = 0, text = 0;
        for (int i = 0; i < kinds.Length; i++)
        {
            byte kind = kinds[i];
            values[i] = kind switch
            {
                Empty => CellValue.Empty,
                Number => CellValue.Of(number < numbers.Count ? numbers[number++] : throw Short("numbers")),
                Date => CellValue.OfDays(number < numbers.Count ? numbers[number++] : throw Short("numbers")),
                Text => CellValue.Of(text < texts.Count ? texts[text++] : throw Short("texts")),
                False => CellValue.Of(false),
                True => CellValue.Of(true),
                >= FirstError => CellValue.Of(Known((CellError)(kind - FirstError))),
                _ => throw new InvalidDataException($"a cell of the unknown kind {kind}"),
            };
        }
        return number == numbers.Count && text == texts.Count
            ? new CellGrid(cells.Rows, cells.Columns, values)
            : throw new InvalidDataException("a table with more values than cells");
    }

    /// <summary>A spreadsheet that is handed a code which it does not have shows what it likes.</summary>
    private static CellError Known(CellError error) => error switch
    {
        CellError.Null or CellError.Div0 or CellError.Value or CellError.Ref or CellError.Name or CellError.Num or CellError.NA or CellError.GettingData => error,
        _ => CellError.Value,
    };

    /// <summary>What no byte holds is no code of Excel's: not one that happens to have the same last bits.</summary>
    private static int CodeOf(CellError error) => (int)error is >= 0 and <= LastError - FirstError ? (int)error : (int)CellError.Value;

    private static InvalidDataException Short(string what) => new($"a table with fewer {what} than cells for them");
}
