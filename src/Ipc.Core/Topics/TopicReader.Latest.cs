namespace Ipc;

/// <summary>The conflating reader: takes in everything that has arrived, delivers the newest of each key.</summary>
/// <remarks>
/// Each read first walks over all new messages and notes key and position of each in a table of its own (what it
/// replaces there is conflated), then delivers the key that has waited longest. So it is as fresh as can be, however
/// slow its user is; and a message whose slot is overwritten before its turn is lost, unless a newer one of its key has
/// arrived.
/// </remarks>
public sealed unsafe partial class TopicReader
{
    private readonly ConflationTable? _latest;
    private ulong _conflated;

    private IpcStatus TryReadLatest(out TopicMessage message)
    {
        TakeIn();
        while (_latest!.TryTake(out ulong position, out ulong conflated))
        {
            SlotHeader* slot = SlotAt(position);
            ulong word = Atomic.LoadAcquire(ref slot->State); // [ready-slot]
            if ((word & ~SlotState.OwnerMask) == SlotState.At(position, _lapShift, 0, SlotState.Ready) &&
                TryDeliver(position, word, conflated, out message))
            {
                return IpcStatus.Ok;
            }

            AddLost(position, position + 1);
        }

        message = default;
        return Atomic.LoadAcquire(ref _seat->State) == _seatState ? IpcStatus.Empty : Evicted(out message);
    }

    /// <summary>At most one lap in one go: a writer that is faster than this must not keep the reader from
    /// reading.</summary>
    private void TakeIn()
    {
        for (ulong taken = 0; taken < _count;)
        {
            Sight sight = See(out ulong word);
            if (sight == Sight.Overrun)
            {
                JumpAhead(word);
                continue;
            }

            if (sight != Sight.Message)
                break;

            SlotHeader* slot = SlotAt(_position);
            ulong key = slot->Key;
            Atomic.FenceLoads(); // [overwrite]
            if (Atomic.LoadAcquire(ref slot->State) != word)
                continue;
            if (_latest!.Put(key, _position))
                _conflated++;
            if (_cursor == _position)
                _cursor++;
            _position++;
            taken++;
        }

        if ((ulong)_latest!.Count > 2 * _count)
            DropOverwritten();
    }

    /// <summary>More keys wait than there are slots: most of their messages are gone.</summary>
    private void DropOverwritten()
    {
        ulong oldest = Atomic.LoadAcquire(ref Header->Tail) - _count;
        AddLost((ulong)_latest!.DropBefore(oldest));
    }
}
