using System;

namespace Ipc;

/// <summary>Participants: joining the table, who is alive, cleaning up for the dead, leaving.</summary>
internal sealed unsafe partial class Region
{
    public bool HasLiveParticipant() => HasLiveParticipant(out _);

    /// <summary>Somebody other than us is attached and alive.</summary>
    public bool HasLiveParticipant(out int pid)
    {
        for (int index = 0; index < Geometry.ParticipantCapacity; index++)
        {
            ParticipantEntry* entry = Entry(index);
            if (index != Index && Atomic.LoadAcquire(ref entry->State) == ParticipantEntry.Live && IsAlive(index))
            {
                pid = (int)entry->Pid;
                return true;
            }
        }

        pid = 0;
        return false;
    }

    /// <summary>It has left without the region lock, and waits to be recovered: its process lives, so nobody else will
    /// be told.</summary>
    public bool HasGivenUp(int index)
    {
        return Atomic.LoadAcquire(ref Entry(index)->Ended) != ParticipantEntry.NotEnded && // [given-up]
            HasNoLock(index);
    }

    /// <summary>It is live in the table and its lock is gone: dead, or what it was has ended by exec(). One call of the
    /// system.</summary>
    public bool HasNoLock(int index)
    {
        return index != Index && Atomic.LoadAcquire(ref Entry(index)->State) == ParticipantEntry.Live && // [live]
            !Os.Current.IsPlaceTaken(_file, index);
    }

    /// <summary>Its process has ended, whether or not anybody has been told yet. False when this region is
    /// left.</summary>
    public bool HasDied(int index)
    {
        lock (_sync)
            return !_left && !IsAlive(index);
    }

    /// <summary>The region is recovered soon, on the watch thread.</summary>
    public void RecoverSoon() => ProcessWatch.RecoverSoon(this);

    /// <summary>Under the region lock, or in a region that nobody else sees.</summary>
    private void TakeEntry()
    {
        Index = FindEntry();
        if (Index < 0 && Kind.FirstJudges)
        {
            RecoverDead();
            Index = FindEntry();
        }

        if (Index < 0)
        {
            Throw.Status(
                IpcStatus.TableFull,
                $"{Path} has room for {Geometry.ParticipantCapacity} participants and all places are taken: " +
                "close one, or create it with more.");
        }

        ProcessIdentity self = Os.Current.Self;
        ParticipantEntry* entry = Entry(Index);
        entry->Generation++;
        entry->Pid = (uint)self.Pid;
        entry->Role = (uint)Entrance.Role;
        entry->StartTime = self.StartTime;
        entry->Attached = UnixTime();
        entry->PidNamespace = self.PidNamespace;
        entry->Runtime = ParticipantEntry.RuntimeCSharp;
        entry->Ended = ParticipantEntry.NotEnded;
        entry->Spin = entry->RoomSpin = 0; // what its predecessor said
        Os.Current.SignPlace(_file, Index);
        FaultPoints.Pass(FaultPoints.RegionAttachEntryFilled);
        Atomic.StoreRelease(ref entry->State, ParticipantEntry.Live); // [live]
        FaultPoints.Pass(FaultPoints.RegionAttachLive);
        if (Atomic.LoadAcquire(ref Header->State) == RegionHeader.Live)
            // before others may have to wait for us: whoever waits looks whom to watch (Crowd) when this word has moved
            Waiter.SignalAlways(&Header->Change);
        Kind.Enter(this, Index, Entrance.Role);
    }

    private int FindEntry()
    {
        (int first, int end) = Kind.Entries(this, Entrance.Role);
        for (int index = first; index < Math.Min(end, Geometry.ParticipantCapacity); index++)
        {
            if (Atomic.LoadAcquire(ref Entry(index)->State) == ParticipantEntry.Free && !Kind.Names(this, index) &&
                Os.Current.TryTakePlace(_file, index))
            {
                return index;
            }
        }

        return -1;
    }

    /// <summary>Cleans up for every dead participant. Under the region lock. May be killed at any point: the entry is
    /// freed last.</summary>
    private void RecoverDead(bool suspectsOnly = false)
    {
        for (int index = 0; index < Geometry.ParticipantCapacity; index++)
        {
            ParticipantEntry* entry = Entry(index);
            if (index == Index || Atomic.LoadAcquire(ref entry->State) != ParticipantEntry.Live ||
                (suspectsOnly && !Kind.IsSuspect(this, index)) || IsAlive(index))
            {
                continue;
            }

            bool died = Atomic.LoadAcquire(ref entry->Ended) != ParticipantEntry.EndedByLeaving; // [given-up]
            FaultPoints.Pass(FaultPoints.RecoverBegin);
            Kind.CleanUp(this, index, died);
            FaultPoints.Pass(FaultPoints.RecoverBeforeFree);
            if (died)
            {
                Header->Recoveries++;
                entry->Ended = ParticipantEntry.EndedByDeath;
            }

            Atomic.StoreRelease(ref entry->State, ParticipantEntry.Free);
            Kind.Freed(this, index);
            if (died)
                CoreMeter.Died(Name);
            SignalAll();
        }
    }

    /// <inheritdoc/>
    public bool TryRecover()
    {
        if (!View.TryUse())
            return true; // closed meanwhile

        try
        {
            if (!TryLock(Deadline.Now))
                return IsLeft;
            try
            {
                RecoverDead();
                SignalAll(); // also when another has freed the entry: it may have been killed before it signalled
            }
            finally
            {
                Unlock();
            }

            Entrance.PeersChanged();
            return true;
        }
        finally
        {
            View.Unuse();
        }
    }

    private bool IsLeft
    {
        get
        {
            lock (_sync)
                return _left;
        }
    }

    /// <summary>Stays although nobody is attached: persistent, or with messages in it. Under the region lock, the dead
    /// recovered.</summary>
    public bool IsKept() =>
        !MayRemove || Geometry.Lifetime == Lifetime.Persistent ||
        (Geometry.Lifetime == Lifetime.UntilEmpty && Kind.HoldsMessages(this));

    /// <summary>Nobody is attached and nothing is kept. What a dead one had received and not released counts as kept:
    /// it is recovered before the look.</summary>
    private bool IsOver()
    {
        if (Geometry.Lifetime == Lifetime.Persistent || !MayRemove || HasLiveParticipant())
            return false;
        if (Geometry.Lifetime == Lifetime.UntilEmpty)
            RecoverDead();
        return !IsKept();
    }

    /// <summary>Leaves the table and closes the file; the memory stays mapped. The last to leave retires the region,
    /// unless it is kept. Idempotent, does not throw for a busy lock: without it, others clean up.</summary>
    public void Leave()
    {
        Uninterrupted.Do(static region => ProcessWatch.Forget(region), this);
        Deadline deadline = Deadline.After(s_lockTimeout);
        bool locked = false;
        if (_hasParticipants)
            Uninterrupted.Do(_ => locked = TryLock(deadline), this);
        if (_hasParticipants && !locked)
        {
            GiveUp();
        }
        else if (_hasParticipants)
        {
            try
            {
                if (Index >= 0)
                {
                    int index = Index;
                    if (Kind.Retires(index))
                        RecoverDead(suspectsOnly: true); // nobody comes after us who would
                    Kind.CleanUp(this, index, died: false);
                    Entry(index)->Ended = ParticipantEntry.EndedByLeaving;
                    Atomic.StoreRelease(ref Entry(index)->State, ParticipantEntry.Free);
                    FaultPoints.Pass(FaultPoints.RegionLeaveEntryFreed);
                    Index = -1;
                    Os.Current.GiveBackPlace(_file, index);
                    SignalAll();
                    if (Kind.Retires(index) || IsOver())
                        RetireLocked();
                }
            }
            finally
            {
                Unlock();
            }
        }

        Uninterrupted.Do(static region => region.CloseFile(), this);
    }

    /// <summary>
    /// The region lock is held by a process that does not go on. We leave almost as the dead do: the lock on our entry
    /// ends, and others clean up. But our process lives, so nobody is told of its end: the entry says that we left,
    /// before its lock ends <c>[given-up]</c>, and <c>change</c> and the waiters make everybody look.
    /// </summary>
    private void GiveUp() => Uninterrupted.Do(static region =>
    {
        lock (region._sync)
        {
            int index = region.Index;
            if (index < 0 || region._left)
                return;
            Atomic.StoreRelease(ref region.Entry(index)->Ended, ParticipantEntry.EndedByLeaving); // [given-up]
            FaultPoints.Pass(FaultPoints.RegionLeaveGivenUp);
            region.Index = -1;
            Os.Current.GiveBackPlace(region._file, index);
            region.SignalAll();
        }
    }, this);
}
