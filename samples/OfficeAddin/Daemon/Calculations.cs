using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;

namespace OfficeAddin;

/// <summary>What IPC.CALC can compute. Twin of ../cpp/calculations.cpp: the same functions, the same results to the last bit.</summary>
/// <remarks>
/// As in a spreadsheet: an error among the arguments is the result, the first one; sum, mean and count look at numbers only and pass over the rest.
/// <code>
/// sum, mean, count (cells...)     of all numbers
/// concat (cells...)               everything as one text
/// vwap (prices, volumes)          sum of price * volume / sum of volume, of two ranges of one shape
/// scale (cells, factor)           every number times the factor, the rest as it is
/// echo (cells)                    the same, errors and all
/// error (code)                    the error of that code
/// slow (milliseconds)             the number, later
/// </code>
/// </remarks>
internal static class Calculations
{
    public static CellGrid Run(string name, IReadOnlyList<CellGrid> arguments, CancellationToken cancel)
    {
        if (name == "echo")
            return arguments.Count == 1 ? arguments[0] : Wrong;
        if (FirstError(arguments) is { } error)
            return CellGrid.Of(error);
        return name switch
        {
            "sum" => CellGrid.Of(CellValue.Of(Sum(arguments, out _))),
            "mean" => Mean(arguments),
            "count" => CellGrid.Of(Count(arguments)),
            "concat" => CellGrid.Of(CellValue.Of(Concat(arguments))),
            "vwap" => arguments.Count == 2 ? Vwap(arguments[0], arguments[1]) : Wrong,
            "scale" => arguments.Count == 2 ? Scale(arguments[0], arguments[1]) : Wrong,
            "error" => Error(arguments),
            "slow" => Slow(arguments, cancel),
            _ => CellGrid.Of(CellValue.Of(CellError.Name)),
        };
    }

    private static CellGrid Wrong => CellGrid.Of(CellValue.Of(CellError.Value));

    private static CellValue? FirstError(IReadOnlyList<CellGrid> arguments)
    {
        foreach (CellGrid argument in arguments)
        {
            foreach (CellValue value in argument.RowMajor)
            {
                if (value.Kind == CellKind.Error)
                    return value;
            }
        }
        return null;
    }

    private static double Sum(IReadOnlyList<CellGrid> arguments, out int count)
    {
        double sum = 0;
        count = 0;
        foreach (CellGrid argument in arguments)
        {
            foreach (CellValue value in argument.RowMajor)
            {
                if (value.Kind != CellKind.Number)
                    continue;
                sum += value.Number;
                count++;
            }
        }
        return sum;
    }

    private static CellGrid Mean(IReadOnlyList<CellGrid> arguments)
    {
        double sum = Sum(arguments, out int count);
        return CellGrid.Of(count == 0 ? CellValue.Of(CellError.Div0) : CellValue.Of(sum / count));
    }

    private static CellValue Count(IReadOnlyList<CellGrid> arguments)
    {
        Sum(arguments, out int count);
        return CellValue.Of(count);
    }

    private static string Concat(IReadOnlyList<CellGrid> arguments)
    {
        var text = new StringBuilder();
        foreach (CellGrid argument in arguments)
        {
            foreach (CellValue value in argument.RowMajor)
                text.Append(value.ToString());
        }
        return text.ToString();
    }

    private static CellGrid Vwap(CellGrid prices, CellGrid volumes)
    {
        if (prices.Rows != volumes.Rows || prices.Columns != volumes.Columns)
            return Wrong;
        double paid = 0, volume = 0;
        for (int i = 0; i < prices.RowMajor.Length; i++)
        {
            CellValue price = prices.RowMajor[i], amount = volumes.RowMajor[i];
            if (price.Kind != CellKind.Number || amount.Kind != CellKind.Number)
                continue;
            paid += price.Number * amount.Number;
            volume += amount.Number;
        }
        return CellGrid.Of(volume == 0 ? CellValue.Of(CellError.Div0) : CellValue.Of(paid / volume));
    }

    private static CellGrid Scale(CellGrid cells, CellGrid factor)
    {
        if (factor.Rows != 1 || factor.Columns != 1 || factor[0, 0].Kind != CellKind.Number)
            return Wrong;
        var scaled = new CellValue[cells.RowMajor.Length];
        for (int i = 0; i < scaled.Length; i++)
        {
            CellValue value = cells.RowMajor[i];
            scaled[i] = value.Kind == CellKind.Number ? CellValue.Of(value.Number * factor[0, 0].Number) : value;
        }
        return new CellGrid(cells.Rows, cells.Columns, scaled);
    }

    private static CellGrid Error(IReadOnlyList<CellGrid> arguments)
        => Single(arguments) is >= 0 and <= 127 and var code && code == Math.Floor(code) ? CellGrid.Of(CellValue.Of((CellError)(int)code)) : Wrong;

    private static CellGrid Slow(IReadOnlyList<CellGrid> arguments, CancellationToken cancel)
    {
        if (Single(arguments) is not (>= 0 and <= 60_000 and var time))
            return Wrong;
        cancel.WaitHandle.WaitOne((int)time);
        cancel.ThrowIfCancellationRequested();
        return CellGrid.Of(CellValue.Of(time));
    }

    /// <summary>The one number that is the argument; not a number, if it is anything else.</summary>
    private static double Single(IReadOnlyList<CellGrid> arguments)
        => arguments.Count == 1 && arguments[0].RowMajor.Length == 1 && arguments[0][0, 0].Kind == CellKind.Number ? arguments[0][0, 0].Number : double.NaN;
}
