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

    /// <summary>From now on this thread, and those that it starts, may not fence for others (MEMBARRIER_CMD_GLOBAL_EXPEDITED). The runtime needs the other commands.</summary>
    private static bool RefuseMembarrier()
    {
        uint number = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 283u : 324u;
        ulong* filter = stackalloc ulong[]
        {
            Instruction(0x20, 0, 0, 0),           // the number of the call
            Instruction(0x15, 0, 3, number),
            Instruction(0x20, 0, 0, 16),          // its first argument
            Instruction(0x15, 0, 1, 2),
            Instruction(0x06, 0, 0, 0x00050001),  // EPERM
            Instruction(0x06, 0, 0, 0x7FFF0000),  // allowed
        };
        Program program = new() { Length = 6, Filter = filter };
        return Control(NoNewPrivileges, 1, null, 0, 0) == 0 && Control(Seccomp, Filter, &program, 0, 0) == 0;
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

    [DllImport("libc", EntryPoint = "prctl")]
    private static extern int Control(int option, nint second, void* third, nint fourth, nint fifth);
}
