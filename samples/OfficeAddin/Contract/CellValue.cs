using System;
using System.Globalization;

namespace OfficeAddin;

/// <summary>What one cell shows. Sixteen bytes and no box: a sheet has many of them.</summary>
public readonly struct CellValue : IEquatable<CellValue>
{
    private readonly double _number; // also the code of an error, 0 or 1, and the days of a date
    private readonly object? _tag;   // the text, or what else it is; null: empty

    private CellValue(double number, object? tag)
    {
        _number = number;
        _tag = tag;
    }

    public static CellValue Empty => default;

    /// <summary>#N/A, which says that there is no value at present.</summary>
    public static CellValue NotAvailable => Of(CellError.NA);

    public CellKind Kind => _tag switch
    {
        null => CellKind.Empty,
        string => CellKind.Text,
        object tag when ReferenceEquals(tag, Tag.Number) => CellKind.Number,
        object tag when ReferenceEquals(tag, Tag.Boolean) => CellKind.Boolean,
        object tag when ReferenceEquals(tag, Tag.Date) => CellKind.Date,
        _ => CellKind.Error,
    };

    /// <summary>The number; 0 for anything else.</summary>
    public double Number => Kind == CellKind.Number ? _number : 0;

    /// <summary>The text; empty for anything else.</summary>
    public string Text => _tag as string ?? "";

    /// <summary>The truth value; <see langword="false"/> for anything else.</summary>
    public bool Boolean => Kind == CellKind.Boolean && _number != 0;

    /// <summary>The error; <see cref="CellError.Null"/>, which is one too, for anything else: ask <see cref="Kind"/> first.</summary>
    public CellError Error => Kind == CellKind.Error ? (CellError)(int)_number : CellError.Null;

    /// <summary>The date, to the millisecond; the first of all for anything else.</summary>
    public DateTime Date => Kind == CellKind.Date ? CellDates.DateOf(_number) : default;

    /// <summary>The date as days since 30 December 1899, the time of day as their fraction; 0 for anything else. <see cref="CellDates"/> has what a cell shows for it.</summary>
    public double Days => Kind == CellKind.Date ? _number : 0;

    public static CellValue Of(double number) => new(number, Tag.Number);

    public static CellValue Of(string text) => new(0, text ?? throw new ArgumentNullException(nameof(text)));

    public static CellValue Of(bool value) => new(value ? 1 : 0, Tag.Boolean);

    /// <summary>A date; what time zone it is of nobody knows. #NUM! for the last half of a millisecond that there is, which would be shown as a day more.</summary>
    public static CellValue Of(DateTime date) => OfDays(CellDates.Days(date));

    /// <summary>A date by its <see cref="Days"/>; #NUM! when there is none of that number.</summary>
    public static CellValue OfDays(double days) => CellDates.IsDate(days) ? new CellValue(days, Tag.Date) : Of(CellError.Num);

    public static CellValue Of(CellError error) => new((int)error, Tag.Error);

    public static bool operator ==(CellValue left, CellValue right) => left.Equals(right);

    public static bool operator !=(CellValue left, CellValue right) => !left.Equals(right);

    public bool Equals(CellValue other) => Kind == other.Kind && _number.Equals(other._number) && Text == other.Text;

    public override bool Equals(object? obj) => obj is CellValue other && Equals(other);

    public override int GetHashCode() => unchecked((_number.GetHashCode() * 31) + Text.GetHashCode());

    /// <summary>As a spreadsheet shows it; a date as programmers write it.</summary>
    public override string ToString() => Kind switch
    {
        CellKind.Number => _number.ToString("G15", CultureInfo.InvariantCulture),
        CellKind.Text => Text,
        CellKind.Boolean => Boolean ? "TRUE" : "FALSE",
        CellKind.Error => NameOf(Error),
        CellKind.Date => Written(Date),
        _ => "",
    };

    private static string Written(DateTime date)
    {
        string format = date.TimeOfDay == TimeSpan.Zero ? "yyyy-MM-dd" : date.Millisecond == 0 ? "yyyy-MM-ddTHH:mm:ss" : "yyyy-MM-ddTHH:mm:ss.fff";
        return date.ToString(format, CultureInfo.InvariantCulture);
    }

    private static string NameOf(CellError error) => error switch
    {
        CellError.Null => "#NULL!",
        CellError.Div0 => "#DIV/0!",
        CellError.Value => "#VALUE!",
        CellError.Ref => "#REF!",
        CellError.Name => "#NAME?",
        CellError.Num => "#NUM!",
        CellError.NA => "#N/A",
        CellError.GettingData => "#GETTING_DATA",
        _ => "#ERROR" + ((int)error).ToString(CultureInfo.InvariantCulture),
    };

    // Objects of no type that a caller could have, so that no text is taken for one.
    private static class Tag
    {
        public static readonly object Number = new();
        public static readonly object Boolean = new();
        public static readonly object Date = new();
        public static readonly object Error = new();
    }
}
