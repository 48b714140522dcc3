using System;

namespace OfficeAddin;

/// <summary>A table of cells; a single value is one of one row and one column.</summary>
public sealed class CellGrid
{
    private readonly CellValue[] _cells;

    /// <param name="rows">How many rows it has.</param>
    /// <param name="columns">How many columns it has.</param>
    /// <param name="rowMajor">Its cells, row by row. It becomes the table's own: do not change it any more.</param>
    public CellGrid(int rows, int columns, CellValue[] rowMajor)
    {
        if (rows < 0)
            throw new ArgumentOutOfRangeException(nameof(rows), rows, "A table has no negative size.");
        if (columns < 0)
            throw new ArgumentOutOfRangeException(nameof(columns), columns, "A table has no negative size.");
        if (rowMajor is null)
            throw new ArgumentNullException(nameof(rowMajor));
        if ((long)rows * columns != rowMajor.Length)
            throw new ArgumentException($"{rows} x {columns} are not {rowMajor.Length} cells.", nameof(rowMajor));
        Rows = rows;
        Columns = columns;
        _cells = rowMajor;
    }

    public int Rows { get; }

    public int Columns { get; }

    /// <summary>All cells, row by row.</summary>
    public ReadOnlySpan<CellValue> RowMajor => _cells;

    public CellValue this[int row, int column]
        => (uint)row < (uint)Rows && (uint)column < (uint)Columns
            ? _cells[(row * Columns) + column]
            : throw new ArgumentOutOfRangeException(nameof(row), $"({row}, {column}) is not in a table of {Rows} x {Columns}.");

    /// <summary>One cell.</summary>
    public static CellGrid Of(CellValue value) => new(1, 1, new[] { value });

    /// <summary>The same value in every cell.</summary>
    public static CellGrid Filled(int rows, int columns, CellValue value)
    {
        var cells = new CellValue[rows * columns];
        for (int i = 0; i < cells.Length; i++)
            cells[i] = value;
        return new CellGrid(rows, columns, cells);
    }
}
