using System;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>What /proc says about a process, and /sys about the processors.</summary>
internal static class LinuxProcess
{
    private static readonly char[] s_blanks = { ' ', '\n' };
    private static readonly char[] s_listed = { '-', ',' };

    /// <summary>Clock ticks after boot; 0 when there is no such process.</summary>
    public static ulong StartTimeOf(int pid) => TryRead(pid, out ulong startTime, out _) ? startTime : 0;

    /// <summary>What cannot be known (no descriptors are left, there is no /proc) is not a death.</summary>
    public static bool IsRunning(int pid, ulong startTime) =>
        TryRead(pid, out ulong found, out bool dead)
            ? found == 0 || (found == startTime && !dead)
            : !KnowsProcesses || IsHidden(pid);

    /// <summary>Mounted with hidepid, /proc does not show other users' processes. This tells that there is one, not
    /// since when.</summary>
    private static bool IsHidden(int pid) =>
        pid > 0 && (LinuxNative.kill(pid, 0) == 0 || Marshal.GetLastWin32Error() != LinuxNative.ESRCH);

    private static bool KnowsProcesses => File.Exists("/proc/self/stat");

    /// <summary>Of the machine, whatever this process may use of it.</summary>
    public static bool HasOneProcessor()
    {
        try
        {
            string online = File.ReadAllText("/sys/devices/system/cpu/online"); // a list such as 0 or 0-3,6
            return online.IndexOfAny(s_listed) < 0;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return Environment.ProcessorCount == 1; // the best guess there is without /sys
        }
    }

    /// <summary>Reads /proc/PID/stat. <paramref name="dead"/>: all its threads have ended, its parent has not reaped it
    /// yet. A start time of 0: it may be there, and cannot be read.</summary>
    /// <returns>False: there is none.</returns>
    private static bool TryRead(int pid, out ulong startTime, out bool dead)
    {
        startTime = 0;
        dead = false;
        string text;
        try
        {
            text = File.ReadAllText("/proc/" + pid.ToString(CultureInfo.InvariantCulture) + "/stat");
        }
        catch (Exception error) when (
            error is FileNotFoundException or DirectoryNotFoundException ||
            (error is IOException && (error.HResult & 0xFFFF) == LinuxNative.ESRCH))
        {
            return false; // no such process, or it went while being read
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return true;
        }

        // The name (field 2) may hold spaces and parentheses: count from the last one. Field 3 is at index 0.
        int end = text.LastIndexOf(')');
        string[] fields = text.Substring(end + 1).Split(s_blanks, StringSplitOptions.RemoveEmptyEntries);
        if (end < 0 || fields.Length < 20 ||
            !ulong.TryParse(fields[19], NumberStyles.None, CultureInfo.InvariantCulture, out startTime))
        {
            return text.Length != 0; // nothing at all: it went while being read
        }

        // A main thread that has ended alone is a zombie too, while the process lives on in its others (field 20).
        dead = fields[0] is "Z" or "X" && fields[17] is "0" or "1"; // patterns bind tighter than &&
        return true;
    }
}
