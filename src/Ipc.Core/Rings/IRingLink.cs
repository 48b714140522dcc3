namespace Ipc;

/// <summary>What a ring's end needs to know of the world around the ring: a ring region, or a connection. Off the hot
/// path.</summary>
internal interface IRingLink : IPeerPlace
{
    /// <summary>The other end.</summary>
    PeerState Peer { get; }

    /// <summary>Who it is: pid and generation; zeros when nobody is there.</summary>
    void IdentifyPeer(out int processId, out int generation);

    /// <summary>Sees to it that the peer's death is noticed and wakes this end. Called often while waiting: cheap when
    /// nothing has changed.</summary>
    void WatchPeer();

    /// <summary>Signalled when participants change; null: not here.</summary>
    unsafe WaiterWords* Change { get; }

    /// <summary>A reader here is woken by its data waiter. False: the peer's signals go elsewhere (a listener's
    /// doorbell).</summary>
    bool WakesReader { get; }

    /// <summary>Where a reader sleeps when <see cref="WakesReader"/> is false; the memory is
    /// <see cref="DoorbellView"/>'s, and stays mapped while a thread is inside a call of the reader.</summary>
    unsafe WaiterWords* Doorbell { get; }

    /// <summary>Null where there is no doorbell.</summary>
    MappedView? DoorbellView { get; }

    /// <summary>Makes a reader that sleeps at the doorbell look again.</summary>
    void WakeReader();

    /// <summary>The writer has taken the sleeper's flag off the data waiter. True: somebody else has been told
    /// instead.</summary>
    bool RelaySignal();

    /// <summary>The peer has written an invalid ring.</summary>
    void Corrupted(string what);

    /// <summary>An end is to be disposed.</summary>
    void DisposeEnd();
}
