using System;

namespace Ipc;

/// <summary>A participant attached, left or died.</summary>
public sealed class ParticipantChangedEventArgs : EventArgs
{
    internal ParticipantChangedEventArgs(ParticipantChange change, ParticipantInfo participant)
    {
        Change = change;
        Participant = participant;
    }

    /// <summary>What happened.</summary>
    public ParticipantChange Change { get; }

    /// <summary>To whom; as it was while it was there.</summary>
    public ParticipantInfo Participant { get; }
}
