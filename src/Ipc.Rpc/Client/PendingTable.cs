using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>The calls that wait for a reply. Taken from under the write lock, given back and looked up by any thread.</summary>
internal sealed class PendingTable
{
    private readonly int _limit;
    private PendingSlot[] _slots = Array.Empty<PendingSlot>(); // replaced when it grows, never changed
    private PendingSlot? _free; // the write lock's
    private PendingSlot? _returned; // anybody's: pushed one by one, taken all at once, so no ABA

    public PendingTable(int limit) => _limit = limit;

    /// <summary>All slots that there are now.</summary>
    public PendingSlot[] All => Volatile.Read(ref _slots);

    /// <summary>A slot with a new call id for <paramref name="call"/>, not yet open; <see langword="null"/> when all are taken.</summary>
    [MethodImpl(Tiering.Optimized)]
    public PendingSlot? Take(PendingCall call)
    {
        PendingSlot? slot = _free;
        if (slot is null)
        {
            slot = Volatile.Read(ref _returned) is null ? null : Interlocked.Exchange(ref _returned, null);
            if (slot is null && (slot = Grow()) is null)
                return null;
        }

        _free = slot.Next;
        slot.Next = null;
        slot.Reserve(call);
        return slot;
    }

    /// <summary>Gives back a slot whose call was never opened: under the write lock.</summary>
    public void Undo(PendingSlot slot)
    {
        slot.Clear();
        if (slot.IsWornOut)
            return;

        slot.Next = _free;
        _free = slot;
    }

    /// <summary>Gives back a slot whose call has ended: by whoever ended it.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Return(PendingSlot slot)
    {
        slot.Clear();
        if (slot.IsWornOut)
            return; // four thousand million calls: the slot is left behind rather than a call id used twice

        PendingSlot? head = Volatile.Read(ref _returned);
        while (true)
        {
            slot.Next = head;
            PendingSlot? seen = Interlocked.CompareExchange(ref _returned, slot, head);
            if (ReferenceEquals(seen, head))
                return;
            head = seen;
        }
    }

    /// <summary>The slot that a call id names; whether that use is still pending is the slot's to say.</summary>
    [MethodImpl(Tiering.Optimized)]
    public PendingSlot? Find(ulong callId)
    {
        PendingSlot[] slots = Volatile.Read(ref _slots);
        uint index = unchecked((uint)callId - 1);
        return index < (uint)slots.Length ? slots[index] : null;
    }

    private PendingSlot? Grow()
    {
        PendingSlot[] old = _slots;
        int length = Math.Min(_limit, Math.Max(16, old.Length * 2));
        if (length <= old.Length)
            return null;

        var slots = new PendingSlot[length];
        Array.Copy(old, slots, old.Length);
        PendingSlot? free = null;
        for (int i = length - 1; i >= old.Length; i--)
            free = slots[i] = new PendingSlot((uint)i + 1) { Next = free };
        Volatile.Write(ref _slots, slots);
        return free;
    }
}
