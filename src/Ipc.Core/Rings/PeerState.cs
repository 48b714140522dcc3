namespace Ipc;

/// <summary>What is known of the other end.</summary>
public enum PeerState
{
    /// <summary>Nobody has been there yet.</summary>
    NeverAttached = 0,
    /// <summary>Attached. A stopped process is live too.</summary>
    Live = 1,
    /// <summary>Left in good order.</summary>
    Left = 2,
    /// <summary>Its process died.</summary>
    Died = 3,
}
