namespace Ipc;

/// <summary>What a wait waits for. Implemented by structs: the loop is compiled for each.</summary>
internal interface IWaitCondition
{
    /// <summary>The thing waited for is there. Called often; may pass on what the peer asks for meanwhile.</summary>
    bool IsTrue();

    /// <summary>Ok while it can still come; PeerClosed or PeerDied when not. Sees to it that the peer's death is
    /// noticed.</summary>
    IpcStatus PeerStatus();

    /// <summary>Called before each sleep: give back what the peer may wait for, arm what else leads to a signal.
    /// </summary>
    /// <returns>Publishers fence at all that was armed: <see cref="Waiter.Arm"/>.</returns>
    bool BeforeSleep();

    /// <summary>The longest single sleep in ns; ulong.MaxValue when the wake is certain.</summary>
    ulong LongestSleep { get; }
}
