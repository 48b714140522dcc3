using System;
using System.Threading;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;

namespace Ipc.Interop.Tests;

/// <summary>
/// A member of a queue that does what docs/wire-format.md says, and nothing more: a third implementation, over raw bytes. Its queue has one segment and no pool. It cannot
/// fence for others, so it says so; it takes no range that names its process, which the page leaves open.
/// </summary>
internal sealed class PageMember : IDisposable
{
    private const long Entries = Wire.Region.Participants;
    private readonly LiveRegion _region;
    private readonly int _body, _count, _index;
    private readonly long _slots, _stride;

    /// <summary>Section 2, Attaching, from (6) on.</summary>
    public PageMember(string path)
    {
        _region = new LiveRegion(path);
        _body = _region.Body;
        _count = (int)_region[_body + Wire.Queue.SlotCount];
        _slots = (long)_region.U64(_body + Wire.Queue.SegmentsOffset);
        _stride = (long)_region.U64(_body + Wire.Queue.Stride);
        Lock();
        while (_region[Entry] != 0 || !_region.TryLock(Wire.Region.LockOfParticipant + _index))
            _index++;
        _region[Entry + Wire.Participant.Generation]++;
        _region[Entry + Wire.Participant.Pid] = (uint)Environment.ProcessId;
        _region[Entry + Wire.Participant.Role] = Wire.Participant.RoleWriter | Wire.Participant.RoleReader;
        _region[Entry + Wire.Participant.Runtime] = 1;
        _region[Entry + Wire.Participant.Ended] = 0;
        _region[Entry] = 1;
        Wake(Wire.Region.Change);
        WakeAll();
        Unlock();
    }

    private long Entry => Entries + _index * Wire.Participant.Size;

    private int Owner => _index + 1;

    /// <summary>Section 2, Leaving; section 9, Recovery: the same for what the leaver still holds.</summary>
    public void Leave()
    {
        Lock();
        for (int i = 0; i < _count; i++)
        {
            ulong word = _region.U64(_slots + i * _stride);
            uint lap = (uint)(word >> 32);
            if (word == Wire.Slot.Word(lap, Owner, 0, Wire.Slot.Writing))
                _region.Swap(_slots + i * _stride, word, Wire.Slot.Word(lap + 1, 0, 0, Wire.Slot.Free));
        }

        _region.U64(_body + Wire.Queue.Orphans, _region.U64(_body + Wire.Queue.Orphans) + 1);
        _region[Entry + Wire.Participant.Ended] = 1;
        _region[Entry] = 0;
        _region.Unlock(Wire.Region.LockOfParticipant + _index);
        WakeAll();
        Unlock();
    }

    /// <summary>Section 2, Leaving, of who does not get the region lock.</summary>
    public void GiveUp()
    {
        _region[Entry + Wire.Participant.Ended] = 1;
        _region.Unlock(Wire.Region.LockOfParticipant + _index);
        WakeAll();
    }

    /// <summary>The number of signals that `change` has had.</summary>
    public uint Changes => _region[Wire.Region.Change] >> 1;

    /// <summary>Section 3, Sleep, on `change`, until that has moved from what it was.</summary>
    public void SleepUntilChanged(uint from) => SleepUntil(Wire.Region.Change, () => Changes != from);

    /// <summary>Section 9, Send, up to Writing.</summary>
    public long Claim()
    {
        long tail = _body + Wire.Queue.SegmentHeaders + Wire.Queue.Tail;
        for (; ; )
        {
            ulong t = _region.U64(tail);
            long slot = SlotOf(t);
            if (_region.Swap(slot, Wire.Slot.Word(LapOf(t), 0, 0, Wire.Slot.Free), Wire.Slot.Word(LapOf(t), Owner, 0, Wire.Slot.Writing)))
            {
                _region.Swap(tail, t, t + 1);
                return slot;
            }

            if (_region.U64(tail) == t)
                throw new InvalidOperationException("the queue is full");
        }
    }

    /// <summary>Writing to Ready, then the signal.</summary>
    public void Commit(long slot, ReadOnlySpan<byte> payload, ushort type)
    {
        ulong word = _region.U64(slot);
        _region.Write(slot + Wire.Slot.Payload, payload);
        _region[slot + Wire.Slot.Length] = (uint)payload.Length;
        _region[slot + Wire.Slot.Type] = type; // and no flags
        if (!_region.Swap(slot, word, word - Wire.Slot.Writing + Wire.Slot.Ready))
            throw new InvalidOperationException("the slot was taken away");
        Signal(_body + Wire.Queue.Data);
    }

    /// <summary>Section 9, Receive and release, sleeping until there is something. Returns the type.</summary>
    public int Receive()
    {
        long head = _body + Wire.Queue.SegmentHeaders + Wire.Queue.Head;
        ulong h = 0;
        SleepUntil(_body + Wire.Queue.Data, () =>
        {
            h = _region.U64(head);
            return (_region.U64(SlotOf(h)) & 0xFFFF) == Wire.Slot.Ready;
        });
        long slot = SlotOf(h);
        ulong word = _region.U64(slot), mine = Wire.Slot.Word(LapOf(h), Owner, 0, Wire.Slot.Reading);
        if (!_region.Swap(slot, word, mine))
            throw new InvalidOperationException("nobody else receives here");
        _region.Swap(head, h, h + 1);
        int type = (int)(_region[slot + Wire.Slot.Type] & 0xFFFF);
        _region.Swap(slot, mine, Wire.Slot.Word(LapOf(h) + 1, 0, 0, Wire.Slot.Free));
        Signal(_body + Wire.Queue.Space);
        return type;
    }

    public void Dispose() => _region.Dispose();

    private uint LapOf(ulong position) => (uint)(position / (ulong)_count);

    private long SlotOf(ulong position) => _slots + (long)(position % (ulong)_count) * _stride;

    private void Lock() => Watchdog.Until(() => _region.TryLock(Wire.Region.LockOfRegion), "the region lock to be free");

    private void Unlock() => _region.Unlock(Wire.Region.LockOfRegion);

    private void WakeAll()
    {
        Wake(Wire.Region.Change);
        Wake(_body + Wire.Queue.Data);
        Wake(_body + Wire.Queue.Space);
    }

    /// <summary>Section 3: for what nobody publishes into.</summary>
    private void Wake(long waiter)
    {
        uint word;
        do
            word = _region[waiter];
        while (!_region.Swap(waiter, word, (word & ~1u) + 2));
        _region.WakeSleepers(waiter);
    }

    /// <summary>Section 3: after a publish.</summary>
    private void Signal(long waiter)
    {
        Interlocked.MemoryBarrier(); // it is not registered for membarrier
        for (uint word = _region[waiter]; (word & 1) != 0; word = _region[waiter])
        {
            if (!_region.Swap(waiter, word, (word & ~1u) + 2))
                continue;
            _region.WakeSleepers(waiter);
            return;
        }
    }

    /// <summary>Section 3: where membarrier is not to be had. The first sleeps are short there; these all are.</summary>
    private void SleepUntil(long waiter, Func<bool> condition) => Watchdog.Until(
        () =>
        {
            uint word = _region[waiter];
            if (!_region.Swap(waiter, word, word | 1))
                return false;
            _region[waiter + Wire.Waiter.FenceRequired] = 1;
            Interlocked.MemoryBarrier();
            if (condition())
                return true;
            _region.Sleep(waiter, word | 1);
            return condition();
        },
        "what a member of the page sleeps for");
}
