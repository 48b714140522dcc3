using System.Collections.Generic;
using System.Linq;
using System.Numerics;

namespace Ipc.Tool;

/// <summary>A queue's messages, as long as they wait or are being read; docs/wire-format.md section 9.</summary>
/// <remarks>A receiver frees a slot at once, so of a queue whose receivers wait for messages most pass unseen. Behind one that is being written the next are seen, too.</remarks>
internal sealed class QueueTap : Tap
{
    private readonly RegionLook _look;
    private readonly QueueHeader _header;
    private readonly PoolTap? _pool;
    private readonly int _slotShift;
    private readonly bool _fromOldest;
    private readonly List<ulong> _positions = []; // by segment: what comes next
    private readonly List<SortedSet<ulong>> _pending = []; // by segment: were being written

    public QueueTap(RegionLook look, bool fromOldest)
    {
        _look = look;
        _fromOldest = fromOldest;
        _header = look.Read<QueueHeader>(look.Body, "a queue's header");
        QueueInspector.Check(look, _header);
        _pool = _header.PoolOffset == 0 ? null : new PoolTap(look, _header.PoolOffset);
        _slotShift = BitOperations.Log2(_header.SlotCount);
        FindSegments(fromOldest);
    }

    public override string Unit => "messages";

    public override IEnumerable<TappedMessage> Poll()
    {
        FindSegments(fromOldest: true); // a new one: all that it has is new
        for (uint segment = 0; segment < _positions.Count; segment++)
        {
            foreach (ulong position in _pending[(int)segment].ToArray())
            {
                if (Look(segment, position, out TappedMessage? late) != Seen.Writing)
                    _pending[(int)segment].Remove(position);
                if (late is not null)
                    yield return late;
            }

            for (; ; )
            {
                Seen seen = Look(segment, _positions[(int)segment], out TappedMessage? message);
                if (seen == Seen.Nothing)
                    break;
                if (seen == Seen.Writing)
                    _pending[(int)segment].Add(_positions[(int)segment]);
                _positions[(int)segment]++;
                if (message is not null)
                    yield return message;
            }
        }
    }

    private enum Seen
    {
        Nothing,
        Writing,
        Passed,
    }

    private Seen Look(uint segment, ulong position, out TappedMessage? message)
    {
        message = null;
        ulong offset = QueueInspector.SlotOffset(_header, segment, position);
        SlotHeader slot = _look.Read<SlotHeader>(offset, "a slot");
        uint lap = (uint)(position >> _slotShift), phase = SlotState.PhaseOf(slot.State);
        int ahead = SlotState.LapsAhead(slot.State, lap);
        if (ahead < 0 || (ahead == 0 && phase == SlotState.Free))
            return Seen.Nothing;
        if (ahead == 0 && phase == SlotState.Writing)
            return Seen.Writing;
        byte[]? payload = null;
        bool isLoan = false;
        if (ahead == 0)
            payload = SlotCopy.Take(_look, offset, slot, _header.BlockSize, _pool, word => IsSame(word, lap), out isLoan);
        if (payload is null)
            Missed++;
        else
            message = new TappedMessage(position, slot.Type, payload) { Segment = segment, Writer = phase == SlotState.Ready ? (int)SlotState.OwnerOf(slot.State) - 1 : null, IsLoan = isLoan };
        return Seen.Passed;
    }

    /// <summary>It may have been taken by a receiver meanwhile: it is the same message still.</summary>
    private static bool IsSame(ulong word, uint lap) => SlotState.LapsAhead(word, lap) == 0 && SlotState.PhaseOf(word) is SlotState.Ready or SlotState.Reading;

    private void FindSegments(bool fromOldest)
    {
        const ulong SegmentsOffset = 128, HeadOffset = 128;
        uint segments = _look.U32(_look.Body + SegmentsOffset, "a queue's segments");
        while (_positions.Count < segments && _positions.Count < _header.SegmentLimit)
        {
            ulong header = _look.Body + QueueHeader.ByteSize + (ulong)_positions.Count * QueueSegmentHeader.ByteSize;
            _positions.Add(_look.U64(fromOldest || (_fromOldest && _positions.Count == 0) ? header + HeadOffset : header, "a segment's hint"));
            _pending.Add([]);
        }
    }
}
