using System;
using System.IO;
using System.Text;

namespace Ipc.Tool;

/// <summary>Writes on, tamed, whatever a verb writes: a text of others that was forgotten reaches no terminal as it is.</summary>
/// <remarks>Its lines and tabs pass, for they are the tool's own; a verb keeps those of others away itself, by <see cref="Tame.Line"/>.
/// It keeps nothing back, so that threads may share it as they may what is behind it.</remarks>
internal sealed class TameWriter : TextWriter
{
    private readonly TextWriter _inner;

    public TameWriter(TextWriter inner)
        : base(inner.FormatProvider)
    {
        _inner = inner;
        CoreNewLine = inner.NewLine.ToCharArray();
    }

    public override Encoding Encoding => _inner.Encoding;

    public override void Write(char value) => _inner.Write(Tame.Text(value.ToString()));

    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    public override void Write(ReadOnlySpan<char> buffer) => Write(buffer.ToString());

    public override void Write(string? value) => _inner.Write(Tame.Text(value ?? ""));

    /// <summary>Whole: pieces of it may end within a character.</summary>
    public override void Write(StringBuilder? value) => Write(value?.ToString());

    public override void WriteLine() => _inner.WriteLine();

    /// <summary>By one call: lines of several threads stay lines.</summary>
    public override void WriteLine(string? value) => _inner.WriteLine(Tame.Text(value ?? ""));

    public override void WriteLine(ReadOnlySpan<char> buffer) => WriteLine(buffer.ToString());

    public override void Flush() => _inner.Flush();
}
