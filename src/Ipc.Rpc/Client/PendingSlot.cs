using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>One place for a pending call. It is used many times; its number and the use together are the call
/// id.</summary>
/// <remarks>
/// Everything that could end a call (reply, cancellation, deadline, death, dispose) tries <see cref="TryEnd"/>; exactly
/// one succeeds and completes the call. A late one has the number of an earlier use and fails.
/// </remarks>
internal sealed class PendingSlot
{
    // Who ends a use is alone with the slot until it stores Free, and does nothing to it afterwards; who holds the
    // write lock takes only a slot that it finds free.
    private const int PhaseBits = 2;
    private const long PhaseMask = 3;
    private const long Free = 0;
    private const long Pending = 1;
    private const long Ending = 2;

    private readonly uint _number;
    private PendingCall? _call;
    private long _state; // use << 2 | phase
    private uint _use;

    public PendingSlot(uint number) => _number = number;

    /// <summary>The low half of its call ids.</summary>
    public uint Number => _number;

    /// <summary>Whether it can be taken, by the holder of the write lock. After four thousand million calls it is left
    /// behind, rather than a call id used twice.</summary>
    public bool IsFree => (Volatile.Read(ref _state) & PhaseMask) == Free && _use != uint.MaxValue; // [use]

    public ulong CallId => ((ulong)_use << 32) | _number;

    /// <summary>Whether the present use has not ended, and which one it is.</summary>
    public bool IsPending(out uint use)
    {
        long state = Volatile.Read(ref _state); // [use]
        use = (uint)(state >> PhaseBits);
        return (state & PhaseMask) == Pending;
    }

    /// <summary>Begins the next use: by the holder of the write lock, on a free slot.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Reserve(PendingCall call)
    {
        _use++;
        _call = call;
        call.Slot = this;
        call.Use = _use;
    }

    /// <summary>Lets replies find the call. Who opens it fences before it looks whether the link is over: what ends all
    /// calls either sees it or is seen [ended].</summary>
    public void Open() => Volatile.Write(ref _state, ((long)_use << PhaseBits) | Pending); // [use]

    /// <summary>Takes the right to complete this use of the slot, which is free from here on.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool TryEnd(uint use, out PendingCall call)
    {
        long of = (long)use << PhaseBits;
        // [use]
        if (Volatile.Read(ref _state) == (of | Pending) &&
            Interlocked.CompareExchange(ref _state, of | Ending, of | Pending) == (of | Pending))
        {
            call = _call!;
            _call = null;
            Volatile.Write(ref _state, of | Free); // [use]
            return true;
        }

        call = null!;
        return false;
    }

    /// <summary>The call, if this use is still pending; it may end at any time.</summary>
    public PendingCall? Peek(uint use)
    {
        PendingCall? call = Volatile.Read(ref _call); // [use] before the state that says whose it is
        return IsPending(out uint present) && present == use ? call : null;
    }

    /// <summary>Gives up a use that was never opened: by the holder of the write lock.</summary>
    public void Undo() => _call = null;
}
