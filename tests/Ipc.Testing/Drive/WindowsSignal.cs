using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ipc.Testing.Drive;

/// <summary>What a signal does to a process, by the calls that Windows has for it.</summary>
[SupportedOSPlatform("windows")]
internal static class WindowsSignal
{
    private const int SigKill = 9, SigCont = 18, SigStop = 19;
    private const uint Killed = 128 + SigKill; // what a shell says of it

    public static void Send(Process process, int signal)
    {
        nint handle = process.Handle;
        _ = signal switch
        {
            SigKill => TerminateProcess(handle, Killed),
            SigStop => NtSuspendProcess(handle),
            SigCont => NtResumeProcess(handle),
            _ => throw new System.ArgumentOutOfRangeException(nameof(signal), signal, "no call does this"),
        };
    }

    /// <summary>Whether each thread of it is suspended: asked by suspending it once more.</summary>
    public static bool IsStopped(Process process)
    {
        process.Refresh();
        bool any = false;
        foreach (ProcessThread thread in process.Threads)
        {
            nint handle = OpenThread(SuspendResume, 0, (uint)thread.Id);
            if (handle == 0)
                continue;
            uint before = SuspendThread(handle);
            if (before != uint.MaxValue)
                _ = ResumeThread(handle);
            _ = CloseHandle(handle);
            if (before == 0)
                return false;
            any = true;
        }

        return any;
    }

    private const uint SuspendResume = 2;

    [DllImport("kernel32")]
    private static extern nint OpenThread(uint access, int inherit, uint thread);

    [DllImport("kernel32")]
    private static extern uint SuspendThread(nint thread);

    [DllImport("kernel32")]
    private static extern uint ResumeThread(nint thread);

    [DllImport("kernel32")]
    private static extern int CloseHandle(nint handle);

    [DllImport("kernel32")]
    private static extern int TerminateProcess(nint process, uint code);

    [DllImport("ntdll")]
    private static extern int NtSuspendProcess(nint process);

    [DllImport("ntdll")]
    private static extern int NtResumeProcess(nint process);
}
