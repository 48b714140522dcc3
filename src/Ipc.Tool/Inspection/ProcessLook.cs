using System.Globalization;
using System.IO;

namespace Ipc.Tool;

/// <summary>What /proc says of somebody's process.</summary>
internal static class ProcessLook
{
    /// <summary>The program's name; null when it cannot be seen.</summary>
    public static string? NameOf(uint pid)
    {
        string? name = TryRead(pid, "comm");
        return name is null ? null : Tame.Line(name.TrimEnd('\n'));
    }

    public static bool IsStopped(uint pid)
    {
        string? stat = TryRead(pid, "stat");
        int end = stat?.LastIndexOf(')') ?? -1;
        return end >= 0 && end + 2 < stat!.Length && stat[end + 2] is 'T' or 't';
    }

    private static string? TryRead(uint pid, string file)
    {
        try
        {
            return File.ReadAllText("/proc/" + pid.ToString(CultureInfo.InvariantCulture) + "/" + file);
        }
        catch (System.Exception error) when (error is IOException or System.UnauthorizedAccessException)
        {
            return null; // gone, or hidden
        }
    }
}
