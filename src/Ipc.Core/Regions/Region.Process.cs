using System.Collections.Generic;

namespace Ipc;

/// <summary>Which process is a participant, and does it live? Twin of region_process.c.</summary>
/// <remarks>
/// What an entry says, anybody can write there; so nobody is judged by it. A participant holds a second lock beside the
/// one on its byte, in a window of its own: where that begins is its pid and pid namespace, how long it is its start
/// time (docs/wire-format.md section 2). The kernel tells who asks, and drops both with the open file.
/// </remarks>
internal sealed unsafe partial class Region
{
    private const ulong FirstProcessLock = 0x2000000000000000;
    private const ulong ProcessWindow = 1UL << 48;
    private const ulong Pids = 1UL << 22;   // of the lock's place in its window
    private const ulong Spaces = 1UL << 25; // the pid namespace's, above them

    // by entry; under its own lock, which comes last
    private readonly Dictionary<int, (uint Generation, ProcessIdentity Process)> _watched = new();

    /// <summary>
    /// The participant's process lives: its byte is locked through another open file. A child made by fork without exec
    /// keeps its dead parent's open files, so where the kernel names a process of our pid namespace, that must exist
    /// too. A stopped process is alive.
    /// </summary>
    public bool IsAlive(int index) => index == Index || IsAlive(_file, index);

    /// <summary>The same for a region that is only looked at.</summary>
    public static bool IsAlive(RegionFile file, int index)
    {
        if (!Os.Current.IsLockedByAnother(file, FirstParticipantLock + index))
            return false;
        ProcessIdentity? process = LockedProcess(file, index);
        return process is not { PidNamespace: not 0 } here || Os.Current.IsRunning(here.Pid, here.StartTime);
    }

    /// <summary>The process that an entry names: to be told to somebody, and to be woken by its end when the kernel
    /// knows no better. Not to judge by.</summary>
    public ProcessIdentity ProcessOf(int index)
    {
        ParticipantEntry* entry = Entry(index);
        return new ProcessIdentity((int)entry->Pid, entry->StartTime, entry->PidNamespace);
    }

    /// <summary>Asks for recovery when that participant's process ends. Not for ourselves.</summary>
    public void WatchParticipant(int index)
    {
        uint generation = Atomic.LoadAcquire(ref Entry(index)->Generation);
        ProcessIdentity process = LockedProcess(_file, index) ?? ProcessOf(index);
        ProcessIdentity self = Os.Current.Self;
        if (!IsSame(process, self)) // each container has a process 1
        {
            lock (_watched)
                _watched[index] = (generation, process); // first: who asks by then whether it is still there finds it
            ProcessWatch.Watch(process, this);
        }
    }

    /// <inheritdoc/>
    public bool IsHeldBy(in ProcessIdentity process)
    {
        if (!View.TryUse())
            return false; // closed meanwhile
        try
        {
            lock (_watched)
            {
                foreach (KeyValuePair<int, (uint Generation, ProcessIdentity Process)> pair in _watched)
                {
                    ParticipantEntry* entry = Entry(pair.Key);
                    if (IsSame(pair.Value.Process, process) &&
                        Atomic.LoadAcquire(ref entry->State) == ParticipantEntry.Live &&
                        Atomic.LoadAcquire(ref entry->Generation) == pair.Value.Generation)
                    {
                        return true;
                    }
                }
            }

            return false;
        }
        finally
        {
            View.Unuse();
        }
    }

    private static bool IsSame(in ProcessIdentity left, in ProcessIdentity right) =>
        left.Pid == right.Pid && left.StartTime == right.StartTime && left.PidNamespace == right.PidNamespace;

    /// <summary>As the kernel says; null: it does not know. The name space is ours or 0, another's.</summary>
    private static ProcessIdentity? LockedProcess(RegionFile file, int index)
    {
        FileRange found = Os.Current.FindLock(file, new FileRange(WindowOf(index), ProcessWindow));
        if (found.Size == 0)
            return null;
        ulong place = found.Offset - WindowOf(index);
        ulong space = Os.Current.Self.PidNamespace;
        return new ProcessIdentity((int)(place % Pids), found.Size, place / Pids == space % Spaces ? space : 0);
    }

    /// <summary>Says which process we are. The entry's byte is locked.</summary>
    private void LockProcess(int index)
    {
        ProcessIdentity self = Os.Current.Self;
        if (self.PidNamespace == 0 || (ulong)self.Pid >= Pids || self.StartTime == 0 || self.StartTime >= Pids * Spaces)
            return; // it cannot be said: then the byte alone tells, and nobody is looked for in /proc
        ulong place = self.PidNamespace % Spaces * Pids + (ulong)self.Pid;
        _ = Os.Current.TryLock(_file, new FileRange(WindowOf(index) + place, self.StartTime));
    }

    private void UnlockEntry(int index)
    {
        Os.Current.Unlock(_file, new FileRange(WindowOf(index), ProcessWindow));
        Os.Current.Unlock(_file, FirstParticipantLock + index); // last: now others may take the entry
    }

    private static ulong WindowOf(int index) => FirstProcessLock + (ulong)index * ProcessWindow;
}
