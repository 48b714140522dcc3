using System;

namespace Ipc;

/// <summary>Says that the other end has attached, left or died.</summary>
public sealed class PeerChangedEventArgs : EventArgs
{
    internal PeerChangedEventArgs(PeerState state, int processId, int generation)
    {
        State = state;
        ProcessId = processId;
        Generation = generation;
    }

    /// <summary>The new state of the other end.</summary>
    public PeerState State { get; }

    /// <summary>The other end's process id, as it wrote it itself; also after it has gone. 0 if it attached and left
    /// unnoticed.</summary>
    public int ProcessId { get; }

    /// <summary>Distinguishes successive participants in the same place.</summary>
    public int Generation { get; }
}
