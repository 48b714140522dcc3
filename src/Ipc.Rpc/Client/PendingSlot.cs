using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>One place for a pending call. It is used many times; its number and the use together are the call id.</summary>
/// <remarks>
/// Everything that could end a call (reply, cancellation, deadline, death, dispose) tries <see cref="TryEnd"/>; exactly one
/// succeeds and completes the call. A late one has the number of an earlier use and fails.
/// </remarks>
internal sealed class PendingSlot
{
    private const long Pending = 1;

    private readonly uint _number;
    private PendingCall? _call;
    private long _state; // use << 1 | pending
    private uint _use;

    public PendingSlot(uint number) => _number = number;

    /// <summary>The low half of its call ids.</summary>
    public uint Number => _number;

    /// <summary>The next one in a list of free ones.</summary>
    public PendingSlot? Next { get; set; }

    /// <summary>Whether another use would repeat a call id.</summary>
    public bool IsWornOut => _use == uint.MaxValue;

    public ulong CallId => ((ulong)_use << 32) | _number;

    /// <summary>Whether the present use has not ended, and which one it is.</summary>
    public bool IsPending(out uint use)
    {
        long state = Volatile.Read(ref _state);
        use = (uint)(state >> 1);
        return (state & Pending) != 0;
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

    /// <summary>Lets replies find the call. A full fence: what ends all calls either sees it or was seen before.</summary>
    public void Open() => Interlocked.Exchange(ref _state, ((long)_use << 1) | Pending); // [ended]

    /// <summary>Takes the right to complete this use of the slot.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool TryEnd(uint use, out PendingCall call)
    {
        long pending = ((long)use << 1) | Pending;
        if (Volatile.Read(ref _state) == pending && Interlocked.CompareExchange(ref _state, (long)use << 1, pending) == pending)
        {
            call = _call!;
            return true;
        }

        call = null!;
        return false;
    }

    /// <summary>The call, if this use is still pending; it may end at any time.</summary>
    public PendingCall? Peek(uint use)
    {
        PendingCall? call = Volatile.Read(ref _call);
        return IsPending(out uint present) && present == use ? call : null;
    }

    public void Clear() => _call = null;
}
