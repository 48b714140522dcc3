using System;
using System.Globalization;

namespace OfficeAddin.Xll;

/// <summary>What a user can change about the add-in: by environment variables, which every host passes on.</summary>
internal static class Settings
{
    /// <summary>The longest that one function waits for its daemon, in milliseconds (1 to 60,000). The recalculation of the sheet waits as long.</summary>
    public const string Deadline = "IPC_SHEET_DEADLINE_MS";

    /// <summary>0: each function holds the recalculation up until it has its result.</summary>
    public const string Later = "IPC_SHEET_LATER";

    /// <summary>0: Excel calculates a function again when one of its arguments has changed, or the user recalculates everything.</summary>
    public const string Volatile = "IPC_SHEET_VOLATILE";

    /// <summary>1904: the workbooks count days from 1904, and dates are shown as the numbers that they have there.</summary>
    public const string Dates = "IPC_SHEET_DATES";

    private const int LongestDeadline = 60_000;

    public static bool MayAnswerLater => Environment.GetEnvironmentVariable(Later) != "0";

    public static bool IsVolatile => Environment.GetEnvironmentVariable(Volatile) != "0";

    /// <summary>Once and for all: every date is asked for it.</summary>
    public static bool CountsFrom1904 { get; } = Environment.GetEnvironmentVariable(Dates) == "1904";

    public static SheetOptions Read()
    {
        SheetOptions options = new();
        string? words = Environment.GetEnvironmentVariable(Deadline);
        if (int.TryParse(words, NumberStyles.None, CultureInfo.InvariantCulture, out int milliseconds) && milliseconds is > 0 and <= LongestDeadline)
            options.Deadline = TimeSpan.FromMilliseconds(milliseconds);
        else if (!string.IsNullOrEmpty(words))
            Log.Write($"{Deadline} is {words}: not a number of milliseconds, ignored");
        return options;
    }
}
