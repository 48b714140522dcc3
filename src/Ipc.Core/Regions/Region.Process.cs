using System.Collections.Generic;

namespace Ipc;

/// <summary>Which process is a participant, and does it live? Twin of region_process.c.</summary>
/// <remarks>What an entry says, anybody can write there; so nobody is judged by it, but by what the kernel
/// says.</remarks>
internal sealed unsafe partial class Region
{
    // by entry; under its own lock, which comes last
    private readonly Dictionary<int, (uint Generation, ProcessIdentity Process)> _watched = new();

    /// <summary>
    /// The participant's process lives: its place is taken through another open file. A child made by fork without exec
    /// keeps its dead parent's open files, so where the kernel names a process of our pid namespace, that must exist
    /// too. A stopped process is alive.
    /// </summary>
    public bool IsAlive(int index) => index == Index || IsAlive(_file, index);

    /// <summary>The same for a region that is only looked at.</summary>
    public static bool IsAlive(RegionFile file, int index)
    {
        if (!Os.Current.IsPlaceTaken(file, index))
            return false;
        ProcessIdentity? process = Os.Current.HolderOf(file, index);
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
        ProcessIdentity process = Os.Current.HolderOf(_file, index) ?? ProcessOf(index);
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
}
