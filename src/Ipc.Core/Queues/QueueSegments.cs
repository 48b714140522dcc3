using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>The memory of a queue as one object has it open: where its slots are, and who we are in it. Twin of
/// <c>ipc_queue_view</c>.</summary>
/// <remarks>Nothing in it changes. The addresses are good after the end of the mapping, too, for who only compares
/// them.</remarks>
internal sealed unsafe class QueueSegments
{
    public QueueSegments(Region region, QueueGeometry geometry, Pool? pool)
    {
        Region = region;
        Geometry = geometry;
        Pool = pool;
        Header = (QueueHeader*)region.Body;
        Headers = (QueueSegmentHeader*)(region.Body + QueueHeader.ByteSize);
        Slots = region.Base + geometry.SegmentsOffset;
        Owner = (uint)region.Index + 1;
        Writing = SlotState.Of(0, Owner, SlotState.Writing);
        Reading = SlotState.Of(0, Owner, SlotState.Reading);
    }

    public Region Region { get; }

    public QueueGeometry Geometry { get; }

    /// <summary>Null: messages longer than a block are refused.</summary>
    public Pool? Pool { get; }

    public QueueHeader* Header { get; }

    /// <summary>The headers of the segments.</summary>
    public QueueSegmentHeader* Headers { get; }

    /// <summary>The only one of them, if there can be only one; null otherwise.</summary>
    public QueueSegmentHeader* Only => Limit == 1 ? Headers : null;

    /// <summary>The slots of segment 0.</summary>
    public byte* Slots { get; }

    /// <summary>Our owner number: participant index + 1.</summary>
    public uint Owner { get; }

    /// <summary>The owner and phase of a slot that we write.</summary>
    public ulong Writing { get; }

    /// <summary>The owner and phase of a slot that we read.</summary>
    public ulong Reading { get; }

    /// <summary>How many segments there can be.</summary>
    public uint Limit => Geometry.SegmentLimit;

    /// <summary>How many have memory.</summary>
    public uint Present => Math.Min(Atomic.LoadAcquire(ref Header->Segments), Limit);

    /// <summary>The longest message.</summary>
    public int MaxPayload => (int)(Pool is null ? Geometry.BlockSize : Math.Max(Geometry.BlockSize, Pool.MaxLength));

    /// <summary>Messages sent or being sent and not yet taken, about.</summary>
    public long Depth
    {
        get
        {
            long depth = 0;
            uint present = Present;
            for (uint i = 0; i < present; i++)
                depth += Math.Max(
                    0, (long)(Atomic.LoadAcquire(ref Headers[i].Tail) - Atomic.LoadAcquire(ref Headers[i].Head)));
            return depth;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public SlotHeader* SlotAt(uint segment, ulong position) =>
        (SlotHeader*)(Slots + segment * Geometry.SegmentStride +
            (position & (Geometry.SlotCount - 1)) * Geometry.Stride);

    /// <summary>The segment of a turn; throws when there is none of that number.</summary>
    public uint SegmentOf(ulong turn)
    {
        uint segment = QueueTurn.SegmentOf(turn);
        if (segment >= Limit)
            Corrupted($"segment {segment} of {Limit} in turn 0x{turn:X}");
        return segment;
    }

    /// <summary>Moves <c>send</c> or <c>receive</c> on to the segment that follows. False: somebody else has.</summary>
    public bool Follow(ulong* hint, ulong turn, QueueSegmentHeader* segment)
    {
        ulong next = Atomic.LoadAcquire(ref segment->Next);
        if (next != QueueTurn.After(turn, QueueTurn.SegmentOf(next)))
        {
            if (Atomic.LoadAcquire(ref *hint) == turn)
                Corrupted($"turn 0x{next:X} after turn 0x{turn:X}");
            return false;
        }

        return Atomic.TryExchange(hint, turn, next);
    }

    /// <summary>Adds to the word of a slot that is ours, whatever becomes of SEALED meanwhile. False: it is not ours
    /// any more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    public static bool TryChange(SlotHeader* slot, ulong word, ulong difference)
    {
        for (; ; )
        {
            ulong state = Atomic.LoadAcquire(ref slot->State);
            if (((state ^ word) & ~SlotState.Sealed) != 0)
                return false;
            if (Atomic.TryExchange(&slot->State, state, state + difference))
                return true;
        }
    }

    /// <summary>There are slots that this object has claimed; <paramref name="marked"/>: and copies into.</summary>
    public bool IsWriting(out bool marked)
    {
        bool writing = false;
        marked = false;
        uint present = Present;
        for (uint segment = 0; segment < present; segment++)
        {
            for (uint index = 0; index < Geometry.SlotCount; index++)
            {
                SlotHeader* slot = SlotAt(segment, index);
                if (HolderOf(slot) != Writing)
                    continue;
                writing = true;
                marked |= Atomic.LoadAcquire(ref slot->Length) == QueueSender.InFlight;
            }
        }

        return writing;
    }

    /// <summary>There are slots that this object has claimed or received: their spans are in somebody's
    /// hands.</summary>
    public bool HoldsSlots()
    {
        uint present = Present;
        for (uint segment = 0; segment < present; segment++)
        {
            for (uint index = 0; index < Geometry.SlotCount; index++)
            {
                ulong holder = HolderOf(SlotAt(segment, index));
                if (holder == Writing || holder == Reading)
                    return true;
            }
        }

        return false;
    }

    public void Corrupted(string what) =>
        Throw.Corrupt(
            $"The queue {Region.Path} holds {what}. A participant is faulty or hostile: end it and make a new queue.");

    private static ulong HolderOf(SlotHeader* slot) =>
        Atomic.LoadAcquire(ref slot->State) & (SlotState.OwnerMask | SlotState.PhaseMask);
}
