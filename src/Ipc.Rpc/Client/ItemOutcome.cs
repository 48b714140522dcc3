namespace Ipc.Rpc;

/// <summary>What became of an item of the caller's stream.</summary>
internal enum ItemOutcome
{
    Sent,

    /// <summary>There is no room for it now: items wait where they are made.</summary>
    NoRoom,

    /// <summary>The call has ended.</summary>
    Over,
}
