using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Ipc.Build.Promises;

/// <summary>tests/promises/NN-words.txt: its first line, after `#`, says what is promised; each other line is a check.</summary>
internal sealed record Promise(int Number, string Title, IReadOnlyList<Check> Checks)
{
    public static Promise Read(string path)
    {
        string[] lines = File.ReadAllLines(path);
        return new Promise(int.Parse(Path.GetFileName(path).Split('-')[0]), lines[0].TrimStart('#', ' '),
            [.. lines.Where(static line => line.Trim() is [not '#', ..]).Select(Check.Parse)]);
    }
}
