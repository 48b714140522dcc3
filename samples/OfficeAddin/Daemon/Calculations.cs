using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;

namespace OfficeAddin;

/// <summary>What IPC.CALC can compute. Twin of ../cpp/calculations.cpp: the same functions, the same results to the last bit.</summary>
/// <remarks>As in a spreadsheet: an error among the arguments is the result, the first one; sum, mean and count look at numbers only and pass over the rest.</remarks>
internal static class Calculations
{
    private static readonly Function[] s_functions =
    [
        new("sum", "cells...", "The sum of all numbers.", static (given, _) => CellGrid.Of(CellValue.Of(Sum(given, out int _)))),
        new("mean", "cells...", "The mean of all numbers.", static (given, _) => Mean(given)),
        new("count", "cells...", "How many numbers there are.", static (given, _) => CellGrid.Of(Count(given))),
        new("concat", "cells...", "Everything as one text.", static (given, _) => CellGrid.Of(CellValue.Of(Concat(given)))),
        new("vwap", "prices, volumes", "The average price by volume, of two ranges of one shape.", static (given, _) => given.Count == 2 ? Vwap(given[0], given[1]) : Wrong),
        new("scale", "cells, factor", "Every number times the factor, the rest as it is.", static (given, _) => given.Count == 2 ? Scale(given[0], given[1]) : Wrong),
        new("date", "year, month, day", "The date of that day.", static (given, _) => DateOf(given)),
        new("shift", "date, days", "The date so many days later.", static (given, _) => Shift(given)),
        new("echo", "cells", "The same again, errors and all.", static (given, _) => given.Count == 1 ? given[0] : Wrong) { TakesErrors = true },
        new("error", "code", "The error of that code.", static (given, _) => Error(given)),
        new("slow", "milliseconds", "The number, after so long.", Slow),
    ];

    private static readonly Dictionary<string, Function> s_byName = s_functions.ToDictionary(static function => function.Name);

    /// <summary>All of them.</summary>
    public static DaemonFunctions List { get; } = new()
    {
        Functions = [.. s_functions.Select(static function => new DaemonFunction { Name = function.Name, Parameters = function.Parameters, Help = function.Help })],
    };

    public static CellGrid Run(string name, IReadOnlyList<CellGrid> arguments, CancellationToken cancel)
    {
        s_byName.TryGetValue(name, out Function? function);
        if (function is not { TakesErrors: true } && FirstError(arguments) is { } error)
            return CellGrid.Of(error);
        return function is null ? CellGrid.Of(CellValue.Of(CellError.Name)) : function.Run(arguments, cancel);
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

    private static CellGrid DateOf(IReadOnlyList<CellGrid> arguments)
    {
        if (!TryNumber(arguments, 3, 0, out double year) || !TryNumber(arguments, 3, 1, out double month) || !TryNumber(arguments, 3, 2, out double day))
            return Wrong;
        return year is >= 1 and <= 9999 && month is >= 1 and <= 12 && day >= 1 && Math.Floor(day) <= DateTime.DaysInMonth((int)year, (int)month)
            ? CellGrid.Of(CellValue.Of(new DateTime((int)year, (int)month, (int)day)))
            : CellGrid.Of(CellValue.Of(CellError.Num));
    }

    /// <summary>A sheet hands a date over as the number that it counts from 1900.</summary>
    private static CellGrid Shift(IReadOnlyList<CellGrid> arguments)
    {
        if (!TryNumber(arguments, 2, 1, out double days))
            return Wrong;
        double? date = IsOne(arguments[0], CellKind.Date) ? arguments[0][0, 0].Days
            : TryNumber(arguments, 2, 0, out double serial) ? CellDates.Days(serial) ?? double.NaN
            : null;
        return date is { } from ? CellGrid.Of(CellValue.OfDays(from + days)) : Wrong;
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

    private static bool IsOne(CellGrid argument, CellKind kind) => argument.RowMajor.Length == 1 && argument[0, 0].Kind == kind;

    /// <summary>The number that is one of so many arguments.</summary>
    private static bool TryNumber(IReadOnlyList<CellGrid> arguments, int count, int place, out double number)
    {
        bool isNumber = arguments.Count == count && IsOne(arguments[place], CellKind.Number);
        number = isNumber ? arguments[place][0, 0].Number : 0;
        return isNumber;
    }

    /// <summary>The one number that is the argument; not a number, if it is anything else.</summary>
    private static double Single(IReadOnlyList<CellGrid> arguments)
        => TryNumber(arguments, 1, 0, out double number) ? number : double.NaN;

    private sealed record Function(string Name, string Parameters, string Help, Func<IReadOnlyList<CellGrid>, CancellationToken, CellGrid> Run)
    {
        public bool TakesErrors { get; init; }
    }
}
