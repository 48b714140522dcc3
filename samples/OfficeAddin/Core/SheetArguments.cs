using System;
using System.Collections.Generic;

namespace OfficeAddin;

/// <summary>What the worksheet functions make of their arguments, the same in every host.</summary>
public static class SheetArguments
{
    /// <summary>
    /// One name (of a service, an id, a field): text as it is, numbers and booleans as they are shown, an empty cell as no text. An argument that is an
    /// error makes the result the same error; one that was left out or has more than one cell makes it #VALUE!.
    /// </summary>
    public static bool TryName(CellGrid? argument, out string name, out CellValue wrong)
    {
        name = "";
        wrong = CellValue.Of(CellError.Value);
        if (argument is not { Rows: 1, Columns: 1 })
            return false;
        if (argument[0, 0].Kind == CellKind.Error)
        {
            wrong = argument[0, 0];
            return false;
        }

        name = Name(argument[0, 0]);
        return true;
    }

    /// <summary>
    /// The names in a range, row by row, without the empty cells at its end, so that a whole column may be given. False when there are none. A cell
    /// that is an error is asked for as the empty name: <see cref="CopyErrors"/> puts it where it belongs.
    /// </summary>
    public static bool TryNames(CellGrid? argument, out List<string> names)
    {
        names = [];
        if (argument is null)
            return false;
        ReadOnlySpan<CellValue> cells = argument.RowMajor;
        while (cells.Length > 0 && cells[cells.Length - 1].Kind == CellKind.Empty)
            cells = cells.Slice(0, cells.Length - 1);
        foreach (CellValue cell in cells)
            names.Add(Name(cell));
        return names.Count > 0;
    }

    /// <summary>Errors among the ids fill their rows of the result, errors among the fields their columns.</summary>
    public static CellGrid CopyErrors(CellGrid ids, CellGrid fields, CellGrid result)
    {
        ReadOnlySpan<CellValue> rows = ids.RowMajor, columns = fields.RowMajor;
        CellValue[]? changed = null;
        for (int row = 0; row < result.Rows; row++)
            for (int column = 0; column < result.Columns; column++)
            {
                CellValue id = rows[row], field = columns[column];
                if (id.Kind != CellKind.Error && field.Kind != CellKind.Error)
                    continue;
                changed ??= result.RowMajor.ToArray();
                changed[(row * result.Columns) + column] = id.Kind == CellKind.Error ? id : field;
            }

        return changed is null ? result : new CellGrid(result.Rows, result.Columns, changed);
    }

    private static string Name(in CellValue value) => value.Kind switch
    {
        CellKind.Error => "",
        _ => value.ToString(),
    };
}
