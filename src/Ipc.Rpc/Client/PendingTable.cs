using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>The calls that wait for a reply. Slots are taken under the write lock; any thread looks them up, and one
/// that ends a call frees its slot.</summary>
internal sealed class PendingTable
{
    private readonly int _limit;
    private PendingSlot[] _slots = Array.Empty<PendingSlot>(); // [made] replaced when it grows, never changed
    // the one that was taken last: of a caller that makes one call after another it is free again, and warm
    private PendingSlot? _last;
    private int _cursor = -1; // where the last search ended

    public PendingTable(int limit) => _limit = limit;

    /// <summary>All slots that there are now.</summary>
    public PendingSlot[] All => Volatile.Read(ref _slots);

    /// <summary>A slot with a new call id for <paramref name="call"/>, not yet open; <see langword="null"/> when all
    /// are taken. Under the write lock.</summary>
    [MethodImpl(Tiering.Optimized)]
    public PendingSlot? Take(PendingCall call)
    {
        PendingSlot? slot = _last;
        if (slot is null || !slot.IsFree)
            _last = slot = Search() ?? Grow();
        slot?.Reserve(call);
        return slot;
    }

    /// <summary>The slot that a call id names; whether that use is still pending is the slot's to say.</summary>
    [MethodImpl(Tiering.Optimized)]
    public PendingSlot? Find(ulong callId)
    {
        PendingSlot[] slots = Volatile.Read(ref _slots);
        uint index = unchecked((uint)callId - 1);
        return index < (uint)slots.Length ? slots[index] : null;
    }

    /// <summary>Goes around once, from where it was last: of calls that end in their order the next one is
    /// free.</summary>
    [MethodImpl(Tiering.Optimized)]
    private PendingSlot? Search()
    {
        PendingSlot[] slots = _slots;
        for (int i = 0; i < slots.Length; i++)
        {
            _cursor = _cursor + 1 < slots.Length ? _cursor + 1 : 0;
            if (slots[_cursor].IsFree)
                return slots[_cursor];
        }

        return null;
    }

    private PendingSlot? Grow()
    {
        PendingSlot[] old = _slots;
        int length = Math.Min(_limit, Math.Max(16, old.Length * 2));
        if (length <= old.Length)
            return null;

        var slots = new PendingSlot[length];
        Array.Copy(old, slots, old.Length);
        for (int i = old.Length; i < length; i++)
            slots[i] = new PendingSlot((uint)i + 1);
        _cursor = old.Length;
        Volatile.Write(ref _slots, slots);
        return slots[old.Length];
    }
}
