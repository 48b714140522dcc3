using System.Text;

namespace Ipc.Rpc.Generator;

/// <summary>Lines with indentation; every line ends in "\n", whatever the machine.</summary>
internal sealed class SourceWriter
{
    private readonly StringBuilder _text = new();
    private int _depth;

    public void Line(string line = "")
    {
        if (line.Length > 0)
            _text.Append(' ', _depth * 4).Append(line);
        _text.Append('\n');
    }

    /// <summary>A line as it is, at the left edge: inside a verbatim string.</summary>
    public void Raw(string line) => _text.Append(line).Append('\n');

    public void Open(string? head = null)
    {
        if (head is not null)
            Line(head);
        Line("{");
        _depth++;
    }

    public void Close(string tail = "")
    {
        _depth--;
        Line("}" + tail);
    }

    public void Indent() => _depth++;

    public void Outdent() => _depth--;

    public override string ToString() => _text.ToString();
}
