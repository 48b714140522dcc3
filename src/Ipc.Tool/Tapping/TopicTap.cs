using System;
using System.Collections.Generic;
using System.Numerics;

namespace Ipc.Tool;

/// <summary>A topic's messages, read as a lossy reader reads them that is in no table; docs/wire-format.md section 10.</summary>
internal sealed class TopicTap : Tap
{
    private const ulong TailOffset = 128;
    private readonly RegionLook _look;
    private readonly TopicHeader _header;
    private readonly PoolTap? _pool;
    private readonly int _slotShift;
    private ulong _position;

    public TopicTap(RegionLook look, bool fromOldest)
    {
        _look = look;
        _header = look.Read<TopicHeader>(look.Body, "a topic's header");
        TopicInspector.Check(look, _header);
        _pool = _header.PoolOffset == 0 ? null : new PoolTap(look, _header.PoolOffset);
        _slotShift = BitOperations.Log2(_header.SlotCount);
        _position = fromOldest ? Math.Max(_header.SlotCount, _header.Tail - _header.SlotCount + 1) : _header.Tail;
    }

    public override string Unit => "messages";

    public override IEnumerable<TappedMessage> Poll()
    {
        for (; ; )
        {
            ulong at = _position, offset = TopicInspector.SlotOffset(_header, at);
            SlotHeader slot = _look.Read<SlotHeader>(offset, "a slot");
            int ahead = SlotState.LapsAhead(slot.State, (uint)(at >> _slotShift));
            uint phase = SlotState.PhaseOf(slot.State);
            if (ahead > 0)
            {
                ulong tail = _look.U64(_look.Body + TailOffset, "the tail"), oldest = tail - _header.SlotCount + Math.Max(1, _header.SlotCount / 8);
                ulong next = oldest > at && oldest <= tail ? oldest : at + 1;
                Missed += next - at;
                _position = next;
                continue;
            }

            if (ahead < 0 || phase is not (SlotState.Ready or SlotState.Gap))
                yield break;
            _position = at + 1;
            if (phase == SlotState.Gap)
                continue;
            byte[]? payload = SlotCopy.Take(_look, offset, slot, _header.BlockSize, _pool, word => word == slot.State, out bool isLoan);
            if (payload is null)
                Missed++;
            else
                yield return new TappedMessage(at, slot.Type, payload) { Key = slot.Key, Writer = (int)SlotState.OwnerOf(slot.State) - 1, IsLoan = isLoan };
        }
    }
}
