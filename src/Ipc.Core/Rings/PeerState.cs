namespace Ipc;

/// <summary>The state of the other end.</summary>
public enum PeerState
{
    /// <summary>No process has attached yet.</summary>
    NeverAttached = 0,
    /// <summary>Attached. A stopped process is live too.</summary>
    Live = 1,
    /// <summary>It has closed.</summary>
    Left = 2,
    /// <summary>Its process died.</summary>
    Died = 3,
}
