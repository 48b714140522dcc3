namespace Ipc;

/// <summary>What became of a participant.</summary>
public enum ParticipantChange
{
    /// <summary>It is there.</summary>
    Attached = 1,
    /// <summary>It left in good order.</summary>
    Left = 2,
    /// <summary>Its process died.</summary>
    Died = 3,
}
