using System;
using System.Buffers;
using System.Globalization;
using System.Text;

namespace Ipc.Tool;

/// <summary>Text of others without what a terminal obeys: names of files and services, texts of peers, errors that quote them.</summary>
/// <remarks>What goes is control characters (escape sequences begin with one), Unicode's format characters (some turn the direction of what follows, so that one
/// name passes for another), its separators of lines and paragraphs, and halves of surrogate pairs. A dot stands where they stood.</remarks>
internal static class Tame
{
    private const char Instead = '.';

    /// <summary>On one line: outside text that begins a line of its own could pass for the tool's.</summary>
    public static string Line(string text) => Replace(text, keepsLines: false);

    /// <summary>With its lines and tabs: for what the tool itself has laid out.</summary>
    public static string Text(string text) => Replace(text, keepsLines: true);

    /// <summary>A text of several lines, of which only the first begins at the margin.</summary>
    public static string Indented(string text)
    {
        string[] lines = text.ReplaceLineEndings("\n").TrimEnd('\n').Split('\n');
        return string.Join("\n     ", Array.ConvertAll(lines, Line));
    }

    /// <summary>A JSON document that means the same: what is not tame can only stand within its strings, and is escaped there.</summary>
    public static string Json(string json)
    {
        if (IsTame(json, keepsLines: true))
            return json;
        var tame = new StringBuilder(json.Length + 16);
        for (int i = 0; i < json.Length;)
        {
            bool isCharacter = Rune.DecodeFromUtf16(json.AsSpan(i), out Rune rune, out int length) == OperationStatus.Done;
            if (isCharacter && IsTame(rune, keepsLines: true))
                tame.Append(json, i, length);
            else
                AppendEscaped(tame, json.AsSpan(i, length));
            i += length;
        }

        return tame.ToString();
    }

    private static void AppendEscaped(StringBuilder to, ReadOnlySpan<char> characters)
    {
        foreach (char character in characters)
            to.Append(CultureInfo.InvariantCulture, $"\\u{(int)character:x4}");
    }

    private static string Replace(string text, bool keepsLines)
    {
        if (IsTame(text, keepsLines))
            return text;
        var tame = new StringBuilder(text.Length);
        for (int i = 0; i < text.Length;)
        {
            if (Rune.DecodeFromUtf16(text.AsSpan(i), out Rune rune, out int length) == OperationStatus.Done && IsTame(rune, keepsLines))
                tame.Append(text, i, length);
            else
                tame.Append(Instead);
            i += length;
        }

        return tame.ToString();
    }

    private static bool IsTame(ReadOnlySpan<char> text, bool keepsLines)
    {
        while (!text.IsEmpty)
        {
            if (Rune.DecodeFromUtf16(text, out Rune rune, out int length) != OperationStatus.Done || !IsTame(rune, keepsLines))
                return false;
            text = text[length..];
        }

        return true;
    }

    private static bool IsTame(Rune rune, bool keepsLines) => rune.Value switch
    {
        >= ' ' and < 0x7F => true,
        '\n' or '\t' => keepsLines,
        _ => Rune.GetUnicodeCategory(rune) is not (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator),
    };
}
