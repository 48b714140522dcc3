using System;

namespace Ipc;

/// <summary>The other end came, left or died.</summary>
public sealed class PeerChangedEventArgs : EventArgs
{
    internal PeerChangedEventArgs(PeerState state, int processId, int generation)
    {
        State = state;
        ProcessId = processId;
        Generation = generation;
    }

    /// <summary>What it is now: the reason of the event.</summary>
    public PeerState State { get; }

    /// <summary>Its process, as it said itself; also when it has gone. 0 when it came and went unseen.</summary>
    public int ProcessId { get; }

    /// <summary>Tells successive occupants of the same place apart.</summary>
    public int Generation { get; }
}
