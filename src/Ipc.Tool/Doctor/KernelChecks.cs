using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using static Ipc.LinuxNative;

namespace Ipc.Tool;

/// <summary>What the kernel, or a container's filter in front of it, allows.</summary>
internal static unsafe class KernelChecks
{
    private const string AllowIt = "a newer kernel, or a seccomp profile of the container that allows it";

    public static IEnumerable<Finding> Run()
    {
        yield return Futex();
        yield return Membarrier();
        yield return ProcessDescriptors();
        yield return Populate();
        yield return Proc();
        yield return Processors();
    }

    private static Finding Futex()
    {
        uint word = 1;
        try
        {
            Os.Current.Sleep(&word, null, 2, Os.Current.Now()); // the word differs: returns at once
            Os.Current.Wake(&word, null);
            return Finding.Ok("futex", "processes can sleep and be woken");
        }
        catch (IpcException error)
        {
            return Finding.Problem("futex", $"not allowed: {error.Message}", AllowIt + " (futex)");
        }
    }

    private static Finding Membarrier()
    {
        if (Os.Current.CanFenceOthers)
            return Finding.Ok("membarrier", "publishing needs no fence, but to who sleeps often");
        string why = Environment.GetEnvironmentVariable("IPC_NO_MEMBARRIER") == "1" ? "switched off by IPC_NO_MEMBARRIER" : "not allowed here";
        return Finding.Warning("membarrier", why + ": publishing costs a fence of some nanoseconds, falling asleep up to 20 ms of looking", AllowIt + " (membarrier), version 4.16 or later; or unset IPC_NO_MEMBARRIER");
    }

    private static Finding ProcessDescriptors()
    {
        int fd = (int)syscall3(SYS_pidfd_open, Environment.ProcessId, 0, 0);
        if (fd < 0)
            return Finding.Warning("pidfd", "not allowed: the death of a peer is noticed by asking every 250 ms", AllowIt + " (pidfd_open), version 5.3 or later");
        _ = close(fd);
        return Finding.Ok("pidfd", "the death of a peer is noticed at once");
    }

    private static Finding Populate()
    {
        Version kernel = Environment.OSVersion.Version;
        return kernel >= new Version(5, 14)
            ? Finding.Ok("populate", "memory that grows is made present by madvise")
            : Finding.Ok("populate", $"kernel {kernel}: memory that grows is made present by posix_fallocate");
    }

    private static Finding Proc()
    {
        ulong start = Os.Current.Self.StartTime, space = Os.Current.Self.PidNamespace;
        return start != 0 && space != 0
            ? Finding.Ok("/proc", "processes can be told apart")
            : Finding.Warning("/proc", "this process cannot see itself there: who lives is known from locks alone, and a child made by fork keeps a dead parent alive", "mount /proc in the container");
    }

    private static Finding Processors()
    {
        string text = $"{Environment.ProcessorCount} for this process";
        return Os.Current.HasOneProcessor
            ? Finding.Warning("processors", text + ", one in the machine: waiting never spins, a round trip costs two switches", "more than one processor")
            : Finding.Ok("processors", text);
    }

    /// <summary>What is running here, for a report of a problem.</summary>
    public static Finding Versions()
    {
        string library = typeof(RingWriter).Assembly.GetName().Version?.ToString(3) ?? "?";
        return Finding.Ok("versions", $"Ipc {library}, layout {RegionHeader.MajorVersion}.{RegionHeader.MinorVersion}, {RuntimeInformation.FrameworkDescription}, " +
            $"{RuntimeInformation.OSDescription.Trim()}, {RuntimeInformation.ProcessArchitecture}".Replace('\n', ' '));
    }
}
