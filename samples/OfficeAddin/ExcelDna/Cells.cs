using System;
using ExcelDna.Integration;

namespace OfficeAddin.ExcelDna;

/// <summary>Values as Excel-DNA passes them (double, string, bool, ExcelError, object[,] ...), and as Core has them.</summary>
internal static class Cells
{
    /// <summary>A single value is a table of one cell, an argument that was left out one of none.</summary>
    public static CellGrid Table(object argument)
    {
        switch (argument)
        {
            case null or ExcelMissing:
                return new CellGrid(0, 0, Array.Empty<CellValue>());
            case object[,] array:
                int rows = array.GetLength(0), columns = array.GetLength(1);
                var cells = new CellValue[rows * columns];
                for (int row = 0; row < rows; row++)
                    for (int column = 0; column < columns; column++)
                        cells[(row * columns) + column] = Cell(array[row, column]);
                return new CellGrid(rows, columns, cells);
            default:
                return CellGrid.Of(Cell(argument));
        }
    }

    public static object Shown(CellValue value) => value.Kind switch
    {
        CellKind.Number when double.IsNaN(value.Number) || double.IsInfinity(value.Number) => ExcelError.ExcelErrorNum,
        CellKind.Number => value.Number,
        CellKind.Date => CellDates.Serial(value.Days) is { } serial ? serial : ExcelError.ExcelErrorNum, // of workbooks that count from 1900
        CellKind.Text => value.Text,
        CellKind.Boolean => value.Boolean,
        CellKind.Error => (ExcelError)(short)value.Error,
        _ => "", // Excel would show an empty result as 0, which is a value like any other
    };

    public static object Shown(CellGrid table)
    {
        if (table.Rows == 1 && table.Columns == 1)
            return Shown(table[0, 0]);
        if (table.Rows == 0 || table.Columns == 0)
            return ExcelError.ExcelErrorValue;
        var shown = new object[table.Rows, table.Columns];
        for (int row = 0; row < table.Rows; row++)
            for (int column = 0; column < table.Columns; column++)
                shown[row, column] = Shown(table[row, column]);
        return shown;
    }

    private static CellValue Cell(object? value) => value switch
    {
        double number => CellValue.Of(number),
        string text => CellValue.Of(text),
        bool truth => CellValue.Of(truth),
        ExcelError error => CellValue.Of((CellError)(short)error),
        null or ExcelEmpty or ExcelMissing => CellValue.Empty,
        _ => CellValue.Of(CellError.Value),
    };
}
