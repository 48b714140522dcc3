using System;
using System.Collections.Generic;
using System.Globalization;

namespace Ipc.Testing.Drive;

/// <summary>What a driven peer answered: <c>STATUS [key=value ...] [| text]</c>.</summary>
public sealed class Answer
{
    /// <summary>The status of a driven peer that found something else than what was sent.</summary>
    public const int WrongContent = 100;

    private readonly Dictionary<string, string> _values = new(StringComparer.Ordinal);

    public Answer(string line)
    {
        Line = line;
        int bar = line.IndexOf(" | ", StringComparison.Ordinal);
        Text = bar < 0 ? "" : line[(bar + 3)..];
        string[] words = (bar < 0 ? line : line[..bar]).Split(' ', StringSplitOptions.RemoveEmptyEntries);
        Status = (IpcStatus)int.Parse(words[0], CultureInfo.InvariantCulture);
        foreach (string word in words.AsSpan(1))
        {
            int equals = word.IndexOf('=', StringComparison.Ordinal);
            _values[word[..equals]] = word[(equals + 1)..];
        }
    }

    public string Line { get; }

    public IpcStatus Status { get; }

    public string Text { get; }

    public long this[string key] => long.Parse(_values[key], CultureInfo.InvariantCulture);

    public override string ToString() => Line;
}
