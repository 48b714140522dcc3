using System.Collections.Generic;
using System.IO;
using System.Text;

namespace OfficeAddin;

/// <summary>The user's table: a CSV file whose first row has the fields and whose first column the ids. Twin of ../cpp/csv_table.cpp.</summary>
/// <remarks>
/// Commas, lines that end in LF or CRLF, and quotes as in RFC 4180. A word is a number as programmers write it (-1.5e3), a date as they write
/// it (2026-11-27, 2026-11-27T09:30:00), TRUE, FALSE, an error as spreadsheets
/// show it (#DIV/0!), nothing, or text; what is in quotes is text. An id or field that comes twice counts the first time.
/// </remarks>
internal sealed class CsvTable
{
    private readonly Dictionary<string, CellValue[]> _rows = [];
    private readonly Dictionary<string, int> _fields = [];

    private CsvTable()
    {
    }

    public static CsvTable Nothing { get; } = new();

    public int Rows => _rows.Count;

    public int Columns => _fields.Count;

    public static CsvTable Read(string path) => Parse(File.ReadAllText(path, Encoding.UTF8));

    public static CsvTable Parse(string text)
    {
        var table = new CsvTable();
        int at = 0;
        bool first = true;
        while (at < text.Length)
        {
            List<(string Word, bool Quoted)> line = ReadLine(text, ref at);
            if (line is [("", false)])
                continue; // nothing on it
            for (int i = 1; first && i < line.Count; i++)
                table._fields.TryAdd(line[i].Word, i - 1);
            if (!first && !table._rows.ContainsKey(line[0].Word))
                table._rows.Add(line[0].Word, line.GetRange(1, line.Count - 1).ConvertAll(static word => CellWords.Parse(word.Word, word.Quoted)).ToArray());
            first = false;
        }
        return table;
    }

    /// <summary>Whether there is such an id; then the cell, which is empty if the line was too short, #N/A without such a field.</summary>
    public bool TryGet(string id, string field, out CellValue value)
    {
        value = CellValue.NotAvailable;
        if (!_rows.TryGetValue(id, out CellValue[]? row))
            return false;
        if (_fields.TryGetValue(field, out int column))
            value = column < row.Length ? row[column] : CellValue.Empty;
        return true;
    }

    private static List<(string, bool)> ReadLine(string text, ref int at)
    {
        List<(string, bool)> words = [];
        while (true)
        {
            words.Add(ReadWord(text, ref at));
            if (at < text.Length && text[at] == ',')
            {
                at++;
                continue;
            }
            if (at < text.Length && text[at] == '\r')
                at++;
            if (at < text.Length && text[at] == '\n')
                at++;
            return words;
        }
    }

    // Ends at a comma, a line's end, or the end.
    private static (string, bool) ReadWord(string text, ref int at)
    {
        var word = new StringBuilder();
        bool quoted = at < text.Length && text[at] == '"';
        if (quoted)
        {
            at++;
            while (at < text.Length)
            {
                if (text[at] != '"')
                    word.Append(text[at++]);
                else if (at + 1 < text.Length && text[at + 1] == '"')
                    at = Append(word, at);
                else
                    break;
            }
            at++;
        }
        while (at < text.Length && text[at] is not (',' or '\n') && !(text[at] == '\r' && (at + 1 == text.Length || text[at + 1] == '\n')))
            word.Append(text[at++]);
        return (word.ToString(), quoted);
    }

    private static int Append(StringBuilder word, int at)
    {
        word.Append('"');
        return at + 2;
    }
}
