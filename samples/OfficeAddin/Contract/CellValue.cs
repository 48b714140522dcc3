using System;
using System.Globalization;

namespace OfficeAddin;

/// <summary>What one cell shows. Sixteen bytes and no box: a sheet has many of them.</summary>
public readonly struct CellValue : IEquatable<CellValue>
{
    private readonly double _number; // also the code of an error, and 0 or 1
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

    public static CellValue Of(double number) => new(number, Tag.Number);

    public static CellValue Of(string text) => new(0, text ?? throw new ArgumentNullException(nameof(text)));

    public static CellValue Of(bool value) => new(value ? 1 : 0, Tag.Boolean);

    public static CellValue Of(CellError error) => new((int)error, Tag.Error);

    public static bool operator ==(CellValue left, CellValue right) => left.Equals(right);

    public static bool operator !=(CellValue left, CellValue right) => !left.Equals(right);

    public bool Equals(CellValue other) => Kind == other.Kind && _number.Equals(other._number) && Text == other.Text;

    public override bool Equals(object? obj) => obj is CellValue other && Equals(other);

    public override int GetHashCode() => unchecked((_number.GetHashCode() * 31) + Text.GetHashCode());

    /// <summary>As a spreadsheet shows it.</summary>
    public override string ToString() => Kind switch
    {
        CellKind.Number => _number.ToString("G15", CultureInfo.InvariantCulture),
        CellKind.Text => Text,
        CellKind.Boolean => Boolean ? "TRUE" : "FALSE",
        CellKind.Error => NameOf(Error),
        _ => "",
    };

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
        public static readonly object Error = new();
    }
}
