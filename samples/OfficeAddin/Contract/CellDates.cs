using System;

namespace OfficeAddin;

/// <summary>Between days as they travel, counted from 30 December 1899, and the numbers that a spreadsheet has for them. The time of day is the fraction of both.</summary>
/// <remarks>From 1 March 1900 on the two are the same; before it Excel counts a 29 February 1900, which never was. A workbook may count from 1904 instead.</remarks>
public static class CellDates
{
    private const double MillisecondsOfDay = 86_400_000;
    private const int FirstDay = 2;           // 1 January 1900, which is 1
    private const int FirstOfMarch = 61;      // 1900
    private const int FirstDayOf1904 = 1462;  // 1 January, which is 0
    private const int EarliestDay = -693_593; // 1 January of the year 1
    private const int DayAfterLast = 2_958_466;

    private static readonly DateTime s_first = new(1899, 12, 30);

    /// <summary>The number that a cell shows as this day; null: a spreadsheet has none for it.</summary>
    /// <param name="days">As in <see cref="CellValue.Days"/>.</param>
    /// <param name="from1904">The workbook counts days from 1904.</param>
    public static double? Serial(double days, bool from1904 = false)
    {
        if (from1904)
            return days >= FirstDayOf1904 ? days - FirstDayOf1904 : null;
        if (days < FirstDay)
            return null;
        return days < FirstOfMarch ? days - 1 : days;
    }

    /// <summary>The day that a workbook which counts from 1900 shows for a number; null: none.</summary>
    public static double? Days(double serial)
    {
        const int NoDay = FirstOfMarch - 1; // 29 February 1900
        double days = serial < NoDay ? serial + 1 : serial;
        return days >= FirstDay && !(serial is >= NoDay and < FirstOfMarch) && IsDate(days) ? days : null;
    }

    internal static bool IsDate(double days) => Milliseconds(days) is >= EarliestDay * MillisecondsOfDay and < DayAfterLast * MillisecondsOfDay;

    internal static double Days(DateTime date) => (date.Date - s_first).Days + (date.TimeOfDay.Ticks / (double)TimeSpan.TicksPerDay);

    /// <summary>To the millisecond.</summary>
    internal static DateTime DateOf(double days) => s_first.AddTicks((long)Milliseconds(days) * TimeSpan.TicksPerMillisecond);

    private static double Milliseconds(double days) => Math.Floor((days * MillisecondsOfDay) + 0.5);
}
