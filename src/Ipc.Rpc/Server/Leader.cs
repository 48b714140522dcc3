using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>One thread's leadership, or its reading aside: what it has been lent, and whether it is inside a
/// handler.</summary>
/// <remarks>
/// The state word decides who goes on [lead]: the thread leaves a handler by a CAS from "in handler number n", the
/// standby takes over by a CAS from the same value. Whoever is first has the listener and the connections; the other
/// one has nothing but its call.
/// </remarks>
internal sealed class Leader : HandlerTurn
{
    private const long PhaseMask = 3; // 0: watching
    private const long InHandler = 1;
    private const long Stolen = 2;
    private const long OneHandler = 4;

    [System.ThreadStatic]
    private static Leader? _here;

    private readonly Crew _crew;
    private long _state;
    private long _seen = -1; // by the standby
    private bool _isUrgent; // [flag] the handler waits for something that has to be read

    public Leader(Crew crew, bool isAside)
    {
        _crew = crew;
        IsAside = isAside;
    }

    /// <summary>Whether it has no part in the listener, only the connections that it was given.</summary>
    public bool IsAside { get; }

    /// <summary>The connections that it reads.</summary>
    public List<ServerConnection> Lent { get; private set; } = new();

    /// <summary>The client was last found on this thread's processor: ask again at once.</summary>
    public bool IsClientHere { get; set; }

    /// <summary>What the handler that it is in has been called for.</summary>
    public ServerCall? Call { get; private set; }

    public long State => Volatile.Read(ref _state); // [lead] [rouse]

    /// <summary>The calling thread begins to lead. It may stop without saying so: a leader that has been replaced is in
    /// no handler.</summary>
    public static void Here(Leader leader) => _here = leader;

    /// <summary>The handler that this thread is in, if it leads, is about to wait: another thread is to read
    /// meanwhile.</summary>
    public static void HandOver()
    {
        if (_here is not { } leader || !IsInHandler(leader._state))
            return;

        Volatile.Write(ref leader._isUrgent, true);
        leader._crew.WakeStandby();
    }

    public static bool IsInHandler(long state) => (state & PhaseMask) == InHandler;

    /// <summary>Whether this thread leads and nobody can take over from it: code of the user's runs here outside of a
    /// handler, or inline.</summary>
    public static bool IsNeeded(Crew crew) =>
        _here is { } leader && ReferenceEquals(leader._crew, crew) && (leader.State & PhaseMask) == 0;

    [MethodImpl(Tiering.Optimized)]
    public override void EnterHandler(ServerCall call)
    {
        Call = call;
        Volatile.Write(ref _state, _state + InHandler);
        OneSidedFence.Frequent(); // [rouse] a standby that goes to sleep sees this, or we see it asleep
        if (_crew.IsStandbyAsleep)
            _crew.WakeStandby();
        if (IsAside && _crew.IsStopped) // [rouse]
            call.Callee.Track(call); // nobody watches any more; its connection is closed, so its token fires
    }

    [MethodImpl(Tiering.Optimized)]
    public override bool LeaveHandler()
    {
        long inHandler = (_state & ~PhaseMask) + InHandler; // as it was if nobody has taken over
        // [lead]
        if (Interlocked.CompareExchange(ref _state, inHandler - InHandler + OneHandler, inHandler) != inHandler)
            return false;

        Call = null;
        _isUrgent = false;
        return true;
    }

    /// <summary>The standby looks whether anything has happened since a standby last did.</summary>
    /// <param name="state">As it is now.</param>
    /// <param name="isStuck">Whether it is time to take over: it is still in the handler that it was in, or waits there
    /// for what has to be read.</param>
    [MethodImpl(Tiering.Optimized)]
    public bool IsAsBefore(out long state, out bool isStuck)
    {
        state = State;
        bool same = state == _seen;
        _seen = state;
        isStuck = (same || Volatile.Read(ref _isUrgent)) && IsInHandler(state);
        return same;
    }

    /// <summary>Takes over from <paramref name="other"/>, if it is still in the handler that it was seen in.</summary>
    public bool TryTakeOver(Leader other, long seen)
    {
        if (!other.TryRelieve(seen, out List<ServerConnection> lent))
            return false;

        Lent = lent;
        return true;
    }

    /// <summary>Takes away what it has been lent, if it is still in the handler that it was seen in.</summary>
    public bool TryRelieve(long seen, out List<ServerConnection> lent)
    {
        lent = Lent;
        if (Interlocked.CompareExchange(ref _state, seen - InHandler + Stolen, seen) != seen) // [lead]
            return false;

        Lent = new List<ServerConnection>();
        if (Call is { } call)
        {
            // from here on it can be cancelled: somebody reads its connection
            call.Callee.Track(call, isStuck: !Volatile.Read(ref _isUrgent));
            call.Callee.HandOver();
        }

        return true;
    }
}
