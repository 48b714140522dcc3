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

    [DllImport("kernel32")]
    private static extern int TerminateProcess(nint process, uint code);

    [DllImport("ntdll")]
    private static extern int NtSuspendProcess(nint process);

    [DllImport("ntdll")]
    private static extern int NtResumeProcess(nint process);
}
