using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Ipc.Tool;

/// <summary>A file without a name that a process has mapped: where, and how much of it is in memory.</summary>
/// <param name="Path">The name that the file had.</param>
/// <param name="Start">Of the mapping, in that process.</param>
/// <param name="End">The first byte behind it.</param>
/// <param name="Offset">In the file.</param>
/// <param name="Present">Bytes that the process has in memory.</param>
internal sealed record ProcessMapping(string Path, ulong Start, ulong End, ulong Offset, long Present)
{
    private const string Deleted = " (deleted)";

    /// <summary>Those of a process; none when it is gone or somebody else's.</summary>
    public static List<ProcessMapping> Of(uint pid)
    {
        List<ProcessMapping> mappings = [];
        try
        {
            foreach (string line in File.ReadLines($"/proc/{pid}/smaps"))
            {
                if (TryHead(line, out ProcessMapping? head))
                    mappings.Add(head!);
                else if (line.StartsWith("Rss:", StringComparison.Ordinal) && mappings.Count > 0)
                    mappings[^1] = mappings[^1] with { Present = KibiBytes(line) };
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return []; // gone, or hidden
        }

        return [.. mappings.Where(static one => one.Path.Length > 0)];
    }

    /// <summary>The line that begins a mapping: <c>start-end flags offset device inode path</c>. Those of other files have no path here.</summary>
    private static bool TryHead(string line, out ProcessMapping? mapping)
    {
        mapping = null;
        string[] fields = line.Split(' ', 6, StringSplitOptions.RemoveEmptyEntries);
        string[] range = fields.Length >= 5 ? fields[0].Split('-') : [];
        if (range.Length != 2 || !TryHex(range[0], out ulong start) || !TryHex(range[1], out ulong end) || !TryHex(fields[2], out ulong offset))
            return false;
        bool isNameless = fields.Length == 6 && fields[5].EndsWith(Deleted, StringComparison.Ordinal);
        mapping = new ProcessMapping(isNameless ? fields[5][..^Deleted.Length] : "", start, end, offset, 0);
        return true;
    }

    private static bool TryHex(string digits, out ulong number) => ulong.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out number);

    private static long KibiBytes(string line)
    {
        string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return fields.Length >= 2 && long.TryParse(fields[1], NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number * 1024 : 0;
    }
}
