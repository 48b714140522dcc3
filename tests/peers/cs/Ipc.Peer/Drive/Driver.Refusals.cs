using System;
using System.Runtime.InteropServices;

namespace Ipc.Peer.Drive;

/// <summary>The commands after which the system refuses this process something.</summary>
internal sealed unsafe partial class Driver
{
    private const int NoFile = 7, NoNewPrivileges = 38, Seccomp = 22, Filter = 2; // RLIMIT_NOFILE, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER

    private string? Refusals() => _line.Word(0) switch
    {
        "refuse-descriptors" => RefuseDescriptors() ? "0" : "1 | no limit could be set",
        "refuse-threads" => RefuseThreads() ? "0" : "1 | system calls cannot be filtered here",
        "refuse-populate" => RefusePopulate() ? "0" : "1 | system calls cannot be filtered here",
        "refuse-membarrier" => RefuseMembarrier() ? "0" : "1 | system calls cannot be filtered here",
        _ => null,
    };

    /// <summary>From now on this process gets no descriptor more.</summary>
    private static bool RefuseDescriptors()
    {
        Limit limit;
        if (GetLimit(NoFile, &limit) != 0)
            return false;
        limit.Soft = 0;
        return SetLimit(NoFile, &limit) == 0;
    }

    /// <summary>To fence for others (MEMBARRIER_CMD_GLOBAL_EXPEDITED). The runtime needs the other commands.</summary>
    private static bool RefuseMembarrier() =>
        RefuseCall(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 283u : 324u, argument: 0, value: 2, error: 1); // EPERM

    /// <summary>To make pages by the mapping (MADV_POPULATE_WRITE), as before Linux 5.14.</summary>
    private static bool RefusePopulate() =>
        RefuseCall(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 233u : 28u, argument: 2, value: 23, error: 22); // EINVAL

    /// <summary>From now on that system call fails on this thread, and on those that it starts, where the argument is that.</summary>
    private static bool RefuseCall(uint number, uint argument, uint value, uint error)
    {
        ulong* filter = stackalloc ulong[]
        {
            Instruction(0x20, 0, 0, 0),                 // the number of the call
            Instruction(0x15, 0, 3, number),
            Instruction(0x20, 0, 0, 16 + 8 * argument),
            Instruction(0x15, 0, 1, value),
            Instruction(0x06, 0, 0, 0x00050000 | error),
            Instruction(0x06, 0, 0, 0x7FFF0000),        // allowed
        };
        Program program = new() { Length = 6, Filter = filter };
        return Control(NoNewPrivileges, 1, null, 0, 0) == 0 && Control(Seccomp, Filter, &program, 0, 0) == 0;
    }

    /// <summary>From now on no thread of this process starts another one: EAGAIN.</summary>
    private static bool RefuseThreads()
    {
        const uint Clone3 = 435, SetFilter = 1, AllThreads = 1; // SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC
        bool isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
        ulong* filter = stackalloc ulong[]
        {
            Instruction(0x20, 0, 0, 0), // the number of the call
            Instruction(0x15, 2, 0, Clone3),
            Instruction(0x15, 1, 0, isArm ? 220u : 56u),
            Instruction(0x06, 0, 0, 0x7FFF0000),  // allowed
            Instruction(0x06, 0, 0, 0x0005000B),  // EAGAIN
        };
        Program program = new() { Length = 5, Filter = filter };
        return Control(NoNewPrivileges, 1, null, 0, 0) == 0 && Call(isArm ? 277 : 317, (nint)SetFilter, (nint)AllThreads, &program) == 0;
    }

    private static ulong Instruction(ushort code, byte yes, byte no, uint value) => code | (ulong)yes << 16 | (ulong)no << 24 | (ulong)value << 32;

    [StructLayout(LayoutKind.Sequential)]
    private struct Limit
    {
        public ulong Soft;
        public ulong Hard;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Program
    {
        public ushort Length;
        public ulong* Filter;
    }

    [DllImport("libc", EntryPoint = "getrlimit")]
    private static extern int GetLimit(int resource, Limit* limit);

    [DllImport("libc", EntryPoint = "setrlimit")]
    private static extern int SetLimit(int resource, Limit* limit);

    [DllImport("libc", EntryPoint = "syscall")]
    private static extern nint Call(nint number, nint operation, nint flags, void* program);

    [DllImport("libc", EntryPoint = "prctl")]
    private static extern int Control(int option, nint second, void* third, nint fourth, nint fifth);
}
