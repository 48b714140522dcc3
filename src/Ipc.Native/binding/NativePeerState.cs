namespace Ipc.Native;

/// <summary>What has become of the other end of a ring: <c>ipc_peer_state</c>.</summary>
public enum NativePeerState
{
    /// <summary>None came yet.</summary>
    Never = 0,

    /// <summary>It is there.</summary>
    Live = 1,

    /// <summary>It left in good order, and no other has come.</summary>
    Left = 2,

    /// <summary>Its process died, and no other has come.</summary>
    Dead = 3,
}
