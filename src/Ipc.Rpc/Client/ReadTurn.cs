using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// A connection is read by one thread at a time, and every thread that waits for a reply is willing to be that one.
// Whoever finds the turn free takes it; the others sleep, each on its parker, until their reply came or the turn is
// offered.
//
// No offer is lost [turn]: a waiter puts itself on the list (an interlocked increment) and then looks whether the turn
// is free; who gives it back stores "free" (an interlocked exchange) and then looks whether somebody is on the list.
// One of the two sees the other. A waiter that leaves the list without the turn looks once more, for the next one.

/// <summary>The right to read a connection.</summary>
internal sealed class ReadTurn
{
    private readonly object _gate = new();
    private readonly List<Parker> _waiters = new(); // callers, first come first
    private Parker? _background; // served after them: they have no other reader, it has nothing of its own to read
    private int _waiting;
    private int _taken;
    private int _holder; // the thread that has it: asked by each only whether it is itself
    private bool _isOver;

    public bool IsFree => Volatile.Read(ref _taken) == 0; // [turn] [freed]

    /// <summary>Whether a caller sleeps until its reply came or the turn is offered to it.</summary>
    public bool HasWaiters => Volatile.Read(ref _waiting) != 0; // [turn]

    /// <summary>Whether the calling thread is the one that reads: then nobody else would read for it.</summary>
    public bool IsMine => _holder == Environment.CurrentManagedThreadId;

    /// <summary>Whether nobody needs the turn any more: who has given it back asks, and takes part in what comes
    /// then.</summary>
    public bool IsOver => Volatile.Read(ref _isOver); // [freed]

    /// <summary>How often it was taken: a hint, for it is counted without a fence.</summary>
    public int Turns { get; private set; }

    [MethodImpl(Tiering.Optimized)]
    public bool TryTake()
    {
        if (!IsFree || Interlocked.CompareExchange(ref _taken, 1, 0) != 0) // [turn] who had it before is through
            return false;
        Turns++;
        _holder = Environment.CurrentManagedThreadId;
        return true;
    }

    [MethodImpl(Tiering.Optimized)]
    public void GiveBack()
    {
        _holder = 0;
        Interlocked.Exchange(ref _taken, 0); // [turn] [freed]
        if (HasWaiters)
            Offer();
    }

    /// <summary>Nobody needs the turn any more. Either the caller can take it then, or who has it sees
    /// <see cref="IsOver"/> when it has given it back.</summary>
    public void SayOver()
    {
        Volatile.Write(ref _isOver, true);
        Interlocked.MemoryBarrier(); // [freed]
    }

    /// <summary>Puts a thread on the list. It then looks whether the turn is free before it sleeps.</summary>
    public void Enlist(Parker parker, bool background)
    {
        Uninterrupted.Enter(_gate);
        try
        {
            if (background)
                _background = parker;
            else
                _waiters.Add(parker);
            Interlocked.Increment(ref _waiting); // [turn]
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }

    /// <summary>Takes a thread off the list, with the turn or without it.</summary>
    public void Delist(Parker parker)
    {
        Uninterrupted.Enter(_gate);
        try
        {
            if (ReferenceEquals(_background, parker))
                _background = null;
            else
                _waiters.Remove(parker);
            Interlocked.Decrement(ref _waiting); // [turn]
        }
        finally
        {
            Monitor.Exit(_gate);
        }

        if (IsFree && HasWaiters)
            Offer();
    }

    private void Offer()
    {
        Uninterrupted.Enter(_gate);
        try
        {
            Parker? next = _waiters.Count != 0 ? _waiters[0] : _background;
            next?.Signal();
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }
}
