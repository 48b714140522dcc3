using System;
using System.Globalization;

namespace OfficeAddin;

/// <summary>Between words of a text file and cells. Twin of ../cpp/cell_words.cpp: the same words make the same cells.</summary>
internal static class CellWords
{
    public static CellValue Parse(string word, bool quoted)
    {
        if (quoted)
            return CellValue.Of(word);
        if (word.Length == 0)
            return CellValue.Empty;
        if (word is "TRUE" or "FALSE")
            return CellValue.Of(word == "TRUE");
        if (ErrorOf(word) is { } error)
            return CellValue.Of(error);
        if (TryDate(word, out DateTime date))
            return CellValue.Of(date);
        return IsNumber(word) && double.TryParse(word, NumberStyles.Float, CultureInfo.InvariantCulture, out double number) && double.IsFinite(number)
            ? CellValue.Of(number)
            : CellValue.Of(word);
    }

    private static CellError? ErrorOf(string word) => word switch
    {
        "#NULL!" => CellError.Null,
        "#DIV/0!" => CellError.Div0,
        "#VALUE!" => CellError.Value,
        "#REF!" => CellError.Ref,
        "#NAME?" => CellError.Name,
        "#NUM!" => CellError.Num,
        "#N/A" => CellError.NA,
        _ => null,
    };

    // 2026-11-27 or 2026-11-27T09:30:00, of days that there are.
    private static bool TryDate(string word, out DateTime date)
        => DateTime.TryParseExact(word, ["yyyy-MM-dd", "yyyy-MM-ddTHH:mm:ss"], CultureInfo.InvariantCulture, DateTimeStyles.None, out date);

    // [-+] digits [. digits] [e [-+] digits]: what every language reads alike.
    private static bool IsNumber(string word)
    {
        int at = word[0] is '-' or '+' ? 1 : 0;
        if (Digits(word, ref at) == 0)
            return false;
        if (at < word.Length && word[at] == '.')
        {
            at++;
            if (Digits(word, ref at) == 0)
                return false;
        }
        if (at < word.Length && word[at] is ('e' or 'E'))
        {
            at++;
            if (at < word.Length && word[at] is ('-' or '+'))
                at++;
            if (Digits(word, ref at) == 0)
                return false;
        }
        return at == word.Length;
    }

    private static int Digits(string word, ref int at)
    {
        int from = at;
        while (at < word.Length && char.IsAsciiDigit(word[at]))
            at++;
        return at - from;
    }
}
