using System;
using System.Runtime.InteropServices;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>What Windows says about a process.</summary>
internal static class WindowsProcess
{
    /// <summary>When it was created, in units of 100 ns since 1601; 0: it cannot be said.</summary>
    public static ulong StartTimeOf(IntPtr process) =>
        GetProcessTimes(process, out ulong created, out _, out _, out _) != 0 ? created : 0;

    /// <summary>What cannot be known (its handle is refused) is not a death.</summary>
    public static bool IsRunning(int pid, ulong startTime)
    {
        IntPtr process = Open(pid, out bool exists);
        if (process == IntPtr.Zero)
            return exists;
        try
        {
            ulong created = StartTimeOf(process);
            return (created == 0 || created == startTime) && WaitForSingleObject(process, 0) != WAIT_OBJECT_0;
        }
        finally
        {
            _ = CloseHandle(process);
        }
    }

    /// <summary>A handle to wait at. Zero: there is none, or it is not to be had.</summary>
    public static IntPtr Open(int pid, out bool exists)
    {
        IntPtr process = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, 0, (uint)pid);
        exists = process != IntPtr.Zero || Marshal.GetLastWin32Error() != ERROR_INVALID_PARAMETER;
        return process;
    }
}
