namespace Ipc.Native;

/// <summary>What a participant has done: <c>ipc_change_kind</c>.</summary>
public enum NativeChangeKind
{
    /// <summary>It came, or was there at the first question.</summary>
    Attached = 1,

    /// <summary>It left in good order.</summary>
    Left = 2,

    /// <summary>Its process died.</summary>
    Died = 3,
}
