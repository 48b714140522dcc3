using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using static Ipc.LinuxNative;

namespace Ipc;

/// <summary>Linux: futex, membarrier, open-file-description locks, pidfd. The files are in LinuxOs.Files.cs.</summary>
internal sealed unsafe partial class LinuxOs : Os
{
    private const long AllBits = 0xFFFFFFFF;

    [ThreadStatic]
    private static long t_clockReads;

    private readonly bool _stopwatchIsMonotonic;
    private bool _readsStopwatch;
    private readonly ProcessIdentity _self;
    private readonly bool _global;
    private readonly bool _private;
    private readonly bool _sleepsOnMany;

    public LinuxOs()
    {
        // Stopwatch reads the clock without a transition to native code; that it reads this very clock is checked, not
        // assumed.
        ulong clock = ReadClock();
        ulong watch = ReadStopwatch();
        _stopwatchIsMonotonic = watch >= clock && watch - clock < 1_000_000_000;
        _readsStopwatch = _stopwatchIsMonotonic;

        int pid = getpid();
        ulong space = statx(AT_FDCWD, "/proc/self/ns/pid", 0, Statx.BasicStats, out Statx found) == 0 ? found.Inode : 0;
        _self = new ProcessIdentity(pid, LinuxProcess.StartTimeOf(pid), space);

        long commands = Environment.GetEnvironmentVariable("IPC_NO_MEMBARRIER") == "1"
            ? 0
            : (long)syscall3(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
        if (commands > 0)
        {
            _global = Register(commands, MEMBARRIER_CMD_GLOBAL_EXPEDITED, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
            _private = Register(commands, MEMBARRIER_CMD_PRIVATE_EXPEDITED, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
        }

        // No words: EINVAL where the call exists (Linux 5.16), ENOSYS or EPERM where it does not, or a filter keeps it
        // away.
        _sleepsOnMany = Environment.GetEnvironmentVariable("IPC_NO_FUTEX_WAITV") != "1" &&
            futex_waitv(SYS_futex_waitv, null, 0, 0, null, CLOCK_MONOTONIC) != 0 &&
            Marshal.GetLastWin32Error() == EINVAL;
    }

    public override ProcessIdentity Self => _self;

    public override bool HasOneProcessor => LinuxProcess.HasOneProcessor();

    public override bool CanFenceOthers => _global;

    /// <summary>How often this thread has asked for the time while that was counted. For tests.</summary>
    internal static long ClockReads => t_clockReads;

    [MethodImpl(Tiering.Optimized)]
    public override ulong Now() => _readsStopwatch ? ReadStopwatch() : ReadClock();

    /// <summary>For tests: counts in <see cref="ClockReads"/>, or does so no longer. It is done where the clock is
    /// asked for by a call of the system, so that whoever is not counted does not pay for it where the runtime's own
    /// clock serves.</summary>
    internal void CountClockReads(bool counts) => _readsStopwatch = !counts && _stopwatchIsMonotonic;

    [MethodImpl(Tiering.Optimized)]
    public override uint Processor() => (uint)sched_getcpu();

    // Who asks about itself is there: each of many readers in a process asks about all the others. 1,024 of them took
    // 25 s to come and go when each was looked up in /proc, and 8 without.
    public override bool IsRunning(int pid, ulong startTime) =>
        (pid == _self.Pid && startTime == _self.StartTime && startTime != 0) || LinuxProcess.IsRunning(pid, startTime);

    public override ProcessMonitor CreateProcessMonitor() =>
        LinuxProcessMonitor.TryCreate() ?? (ProcessMonitor)new PlainProcessMonitor();

    public override void EndSelf(bool stop)
    {
        // To this thread: a stop that is sent to the process may be taken by another thread, while this one goes on for
        // a moment.
        if (syscall3(SYS_tgkill, _self.Pid, syscall3(SYS_gettid, 0, 0, 0), stop ? SIGSTOP : SIGKILL) != 0)
            Failed("tgkill");
    }

    [MethodImpl(Tiering.Optimized)]
    public override void Sleep(uint* word, ulong* asleep, uint expected, ulong deadline)
    {
        Timespec time;
        Timespec* until = null;
        if (deadline != ulong.MaxValue)
        {
            time.Seconds = (long)(deadline / 1_000_000_000);
            time.Nanoseconds = (long)(deadline % 1_000_000_000);
            until = &time;
        }

        if (futex(SYS_futex, word, FUTEX_WAIT_BITSET, expected, until, null, AllBits) == 0)
            return;

        int error = Marshal.GetLastWin32Error();
        if (error is not (EAGAIN or EINTR or ETIMEDOUT))
            Failed("futex wait", error);
    }

    public override OsEvent CreateEvent() => new LinuxEvent();

    public override int MaxSleepWords => _sleepsOnMany ? FUTEX_WAITV_MAX : 1;

    public override void SleepOnAny(SleepWord* words, int count, ulong deadline)
    {
        if (count == 1)
        {
            Sleep(words[0].Word, words[0].Asleep, words[0].Expected, deadline);
            return;
        }

        FutexWaitV* waiters = stackalloc FutexWaitV[count];
        for (int i = 0; i < count; i++)
            waiters[i] =
                new FutexWaitV { Address = (ulong)words[i].Word, Value = words[i].Expected, Flags = FUTEX2_SIZE_U32 };
        Timespec time =
            new() { Seconds = (long)(deadline / 1_000_000_000), Nanoseconds = (long)(deadline % 1_000_000_000) };
        if (futex_waitv(
            SYS_futex_waitv, waiters, count, 0, deadline == ulong.MaxValue ? null : &time, CLOCK_MONOTONIC) >= 0)
        {
            return;
        }

        int error = Marshal.GetLastWin32Error();
        if (error is not (EAGAIN or EINTR or ETIMEDOUT))
            Failed("futex_waitv", error);
    }

    [MethodImpl(Tiering.Optimized)]
    public override void Wake(uint* word, ulong* asleep)
    {
        if (futex(SYS_futex, word, FUTEX_WAKE, int.MaxValue, null, null, 0) < 0)
            Failed("futex wake");
    }

    [MethodImpl(Tiering.Optimized)]
    public override bool TryFenceOthers() => syscall3(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;

    public override bool TryFenceThisProcess() =>
        _private && syscall3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;

    private static bool Register(long commands, int use, int register) =>
        (commands & use) != 0 && (commands & register) != 0 && syscall3(SYS_membarrier, register, 0, 0) == 0;

    private static ulong ReadStopwatch() => Stopwatch.Frequency == 1_000_000_000
        ? (ulong)Stopwatch.GetTimestamp()
        : (ulong)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));

    private static ulong ReadClock()
    {
        t_clockReads++;
        _ = clock_gettime(CLOCK_MONOTONIC, out Timespec time); // cannot fail: the clock exists, the pointer is good
        return (ulong)time.Seconds * 1_000_000_000 + (ulong)time.Nanoseconds;
    }

    private static void Failed(string call) => Failed(call, Marshal.GetLastWin32Error());

    private static void Failed(string call, int error) =>
        Throw.Status(IpcStatus.SystemError, $"{call} failed with errno {error}.", error);
}
