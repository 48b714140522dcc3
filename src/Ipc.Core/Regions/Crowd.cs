namespace Ipc;

/// <summary>Sees to it that the death of any participant of a region is noticed: for objects whose peers are
/// many.</summary>
/// <remarks>
/// <para>
/// Whoever is about to wait for what another may owe (a message, a free slot, a lock) calls <see cref="Attend"/> first.
/// It has each living participant watched by <see cref="ProcessWatch"/>, whose thread then recovers the region and
/// signals all its waiters.
/// </para>
/// <para>
/// Attaching, leaving and recovery change the word of the region's <c>change</c> waiter, so while it has not moved
/// since the last look there is nobody new, and attending costs one load. The word is read before the table: who comes
/// in between is seen at the next look. A newcomer signals every waiter of the region, so who already sleeps wakes, and
/// attends again before it goes on sleeping.
/// </para>
/// </remarks>
internal sealed unsafe class Crowd
{
    private readonly Region _region;
    private readonly uint[] _watched; // the generation of each entry that is watched; 0 none. under the lock of itself
    private int _looked;              // 1: there has been a look
    private uint _seen;               // the word at the last complete one
    private bool _closed;             // under the lock of _watched

    public Crowd(Region region)
    {
        _region = region;
        _watched = new uint[region.Geometry.ParticipantCapacity];
    }

    /// <summary>Watches every living participant that is not watched yet. Any thread; the caller keeps the memory
    /// mapped.</summary>
    public void Attend()
    {
        uint word = Atomic.LoadAcquire(ref _region.Header->Change.Word) & ~WaiterWords.SleeperBit;
        if (Atomic.LoadAcquire(ref _looked) == 0 || Atomic.LoadAcquire(ref _seen) != word)
            Look(word);
    }

    /// <summary>That participant holds what the caller waits for: is it still there? If not, the region is recovered
    /// soon. Any index.</summary>
    public void AskFor(uint index)
    {
        lock (_watched)
        {
            if (!_closed && index < (uint)_watched.Length && _region.HasNoLock((int)index))
                _region.RecoverSoon();
        }
    }

    /// <summary>No more: before the region is left, after which nobody would forget what is watched for it.</summary>
    public void Close() => Uninterrupted.Do(static crowd =>
    {
        lock (crowd._watched)
            crowd._closed = true;
    }, this);

    private void Look(uint word)
    {
        lock (_watched)
        {
            if (_closed)
                return;
            for (int index = 0; index < _watched.Length; index++)
            {
                ParticipantEntry* entry = _region.Entry(index);
                if (Atomic.LoadAcquire(ref entry->State) != ParticipantEntry.Live || index == _region.Index) // [live]
                    continue;
                if (_region.HasGivenUp(index))
                {
                    _region.RecoverSoon();
                    continue;
                }

                uint generation = Atomic.LoadAcquire(ref entry->Generation);
                if (_watched[index] == generation)
                    continue;
                _region.WatchParticipant(index);
                _watched[index] = generation;
            }

            Atomic.StoreRelease(ref _seen, word);
            Atomic.StoreRelease(ref _looked, 1);
        }
    }
}
