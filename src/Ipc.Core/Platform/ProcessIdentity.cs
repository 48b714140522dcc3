namespace Ipc;

/// <summary>Which process, for good: a pid is given again, a pid with its start time is not.</summary>
internal readonly struct ProcessIdentity
{
    public ProcessIdentity(int pid, ulong startTime, ulong pidNamespace)
    {
        Pid = pid;
        StartTime = startTime;
        PidNamespace = pidNamespace;
    }

    public int Pid { get; }

    /// <summary>Field 22 of /proc/PID/stat, clock ticks after boot; another system has its own number.</summary>
    public ulong StartTime { get; }

    /// <summary>Inode of /proc/self/ns/pid: pids of other name spaces say nothing here. 0: unknown.</summary>
    public ulong PidNamespace { get; }
}
