using System;
using System.Collections.Generic;

namespace Ipc.Rpc.Generator;

/// <summary>The words and signs of a .proto, and those comments that mean something to us.</summary>
internal sealed class ProtoTokens
{
    private const string Note = "ipc:";
    private const string CallbackNote = "callback ";
    private const string OriginHead = "Generated from the C# contract ";

    private readonly string _text;
    private readonly List<(string Text, int Line)> _tokens = new();
    private readonly Dictionary<int, string> _notes = new();
    private int _next;

    public ProtoTokens(string text)
    {
        _text = text;
        Split();
    }

    /// <summary>The C# interface in the head of a generated file.</summary>
    public string Origin { get; private set; } = "";

    /// <summary>The service that clients of this one offer, by the comment before it; empty if none is named.</summary>
    public string Callback { get; private set; } = "";

    public bool AtEnd => _next >= _tokens.Count;

    public string Peek => AtEnd ? "" : _tokens[_next].Text;

    public int Line => AtEnd ? (_tokens.Count == 0 ? 1 : _tokens[_tokens.Count - 1].Line) : _tokens[_next].Line;

    public string Next()
    {
        if (AtEnd)
            throw new FormatException("line " + Line + ": the file ends too early");
        return _tokens[_next++].Text;
    }

    public bool TryTake(string text)
    {
        if (Peek != text || AtEnd)
            return false;
        _next++;
        return true;
    }

    public void Take(string text)
    {
        int line = Line;
        string found = Next();
        if (found != text)
            throw new FormatException("line " + line + ": '" + text + "' expected, '" + found + "' found");
    }

    public int Number()
    {
        int line = Line;
        string found = Next();
        bool negative = found == "-";
        if (negative)
            found = Next();
        try
        {
            int value = found.StartsWith("0x", StringComparison.OrdinalIgnoreCase)
                ? Convert.ToInt32(found.Substring(2), 16)
                : int.Parse(found, System.Globalization.CultureInfo.InvariantCulture);
            return negative ? -value : value;
        }
        catch (Exception e) when (e is FormatException or OverflowException or ArgumentException)
        {
            throw new FormatException("line " + line + ": a number expected, '" + found + "' found");
        }
    }

    /// <summary>What the <c>// ipc:</c> comment of the line of the token before says.</summary>
    public string NoteOfLine() => _next > 0 && _notes.TryGetValue(_tokens[_next - 1].Line, out string? note) ? note : "";

    private void Split()
    {
        int line = 1;
        int i = 0;
        while (i < _text.Length)
        {
            char c = _text[i];
            if (c == '\n')
                line++;

            int start = i;
            if (char.IsWhiteSpace(c) || c == '\uFEFF')
            {
                i++;
            }
            else if (string.CompareOrdinal(_text, i, "//", 0, 2) == 0)
            {
                i = End("\n", i);
                Comment(_text.Substring(start + 2, i - start - 2).Trim(), line);
            }
            else if (string.CompareOrdinal(_text, i, "/*", 0, 2) == 0)
            {
                i = Math.Min(_text.Length, End("*/", i + 2) + 2);
                for (int k = start; k < i; k++)
                    line += _text[k] == '\n' ? 1 : 0;
            }
            else if (c is '"' or '\'')
            {
                for (i++; i < _text.Length && _text[i] != c && _text[i] != '\n'; i++)
                    i += _text[i] == '\\' ? 1 : 0;
                i = Math.Min(_text.Length, i + 1);
                _tokens.Add((_text.Substring(start, i - start), line));
            }
            else if (IsWord(c))
            {
                while (i < _text.Length && IsWord(_text[i]))
                    i++;
                _tokens.Add((_text.Substring(start, i - start), line));
            }
            else
            {
                i++;
                _tokens.Add((c.ToString(), line));
            }
        }
    }

    private void Comment(string comment, int line)
    {
        if (comment.StartsWith(Note, StringComparison.Ordinal))
            Noted(comment.Substring(Note.Length).Trim(), line);
        else if (comment.StartsWith(OriginHead, StringComparison.Ordinal) && Origin.Length == 0)
            Origin = comment.Substring(OriginHead.Length).Split(',')[0];
    }

    private void Noted(string note, int line)
    {
        _notes[line] = note;
        if (note.StartsWith(CallbackNote, StringComparison.Ordinal) && Callback.Length == 0)
            Callback = note.Substring(CallbackNote.Length).Trim();
    }

    private int End(string mark, int from)
    {
        int found = _text.IndexOf(mark, Math.Min(from, _text.Length), StringComparison.Ordinal);
        return found < 0 ? _text.Length : found;
    }

    private static bool IsWord(char c) => char.IsLetterOrDigit(c) || c is '_' or '.';
}
