using System;
using System.ComponentModel;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>Windows: files that share everything, locks of bytes, named events; docs/wire-format/windows.md. Files,
/// pages and sleep are in files of their own.</summary>
/// <remarks>What Windows knows of a file or an object is what the other library needs to find, too: no name, access or
/// order here is a matter of taste.</remarks>
internal sealed unsafe partial class WindowsOs : Os
{
    private const ulong NanosecondsPerSecond = 1_000_000_000;

    // The exit code of a process that has ended itself as a kill would: what Linux reports for SIGKILL.
    private const uint Killed = 137;

    private static readonly ulong s_frequency = (ulong)Stopwatch.Frequency;
    // Ticks of 100 ns, as they are everywhere today: a multiplication does.
    private static readonly ulong s_tick =
        NanosecondsPerSecond % s_frequency == 0 ? NanosecondsPerSecond / s_frequency : 0;

    private readonly ProcessIdentity _self = new(
        (int)GetCurrentProcessId(), WindowsProcess.StartTimeOf(GetCurrentProcess()), pidNamespace: 1);

    public override ProcessIdentity Self => _self;

    public override bool HasOneProcessor => GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) == 1;

    /// <summary>No process can have the threads of another one fence: who publishes does it.</summary>
    public override bool CanFenceOthers => false;

    public override bool EverybodyFences => true;

    /// <summary>Stopwatch is the performance counter, in .NET and in .NET Framework.</summary>
    [MethodImpl(Tiering.Optimized)]
    public override ulong Now()
    {
        ulong ticks = (ulong)Stopwatch.GetTimestamp();
        return s_tick != 0
            ? ticks * s_tick
            : ticks / s_frequency * NanosecondsPerSecond + ticks % s_frequency * NanosecondsPerSecond / s_frequency;
    }

    [MethodImpl(Tiering.Optimized)]
    public override uint Processor()
    {
        ProcessorNumber number;
        GetCurrentProcessorNumberEx(&number);
        return number.Group * 64u + number.Number;
    }

    public override bool IsRunning(int pid, ulong startTime) => WindowsProcess.IsRunning(pid, startTime);

    public override ProcessMonitor CreateProcessMonitor() =>
        WindowsProcessMonitor.TryCreate() ?? (ProcessMonitor)new PlainProcessMonitor();

    public override void EndSelf(bool stop)
    {
        if (stop)
            _ = NtSuspendProcess(GetCurrentProcess());
        else
            _ = TerminateProcess(GetCurrentProcess(), Killed);
    }

    public override bool TryFenceOthers() => false;

    public override bool TryFenceThisProcess()
    {
        FlushProcessWriteBuffers();
        return true;
    }

    public override string? WhyNoName(string name) => WhyReserved(name);

    /// <summary>Device names, and what the shell would cut: no tool could remove such a file.</summary>
    public static string? WhyReserved(string name)
    {
        if (name[name.Length - 1] == '.')
            return "ends with a dot, which a name on Windows must not";
        int dot = name.IndexOf('.');
        string stem = (dot < 0 ? name : name.Substring(0, dot)).ToUpperInvariant();
        bool isDevice = stem is "CON" or "PRN" or "AUX" or "NUL" ||
            (stem.Length == 4 && stem[3] is >= '0' and <= '9' && stem.Substring(0, 3) is "COM" or "LPT");
        return isDevice ? "is that of a device on Windows" : null;
    }

    [DoesNotReturn]
    public static void Failed(string call) => Failed(call, Marshal.GetLastWin32Error());

    [DoesNotReturn]
    private static void Failed(string call, int error) =>
        Throw.Status(IpcStatus.SystemError, $"{call} failed: {TextOf(error)}", error);

    private static string TextOf(int error) => $"{new Win32Exception(error).Message} (error {error})";
}
