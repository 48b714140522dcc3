namespace Ipc;

/// <summary>What the two rings ask of their connection.</summary>
public sealed unsafe partial class Connection : IRingLink
{
    /// <inheritdoc/>
    PeerState IRingLink.Peer => PeerNow;

    /// <inheritdoc/>
    WaiterWords* IRingLink.Change => null;

    /// <inheritdoc/>
    bool IRingLink.WakesReader => !IsServer;

    /// <inheritdoc/>
    void IRingLink.IdentifyPeer(out int processId, out int generation)
    {
        processId = PeerProcessId;
        generation = (int)_peerGeneration;
    }

    /// <inheritdoc/>
    void IRingLink.WatchPeer()
    {
        // It has been watched since the connection was made.
    }

    /// <inheritdoc/>
    bool IPeerPlace.IsPeerHere() => IsPeerOnThisProcessor();

    /// <inheritdoc/>
    void IPeerPlace.NotePlace() => Use(static connection => connection._processors.Note(), 0u);

    /// <summary>A client's publish found the flag of an armed connection.</summary>
    bool IRingLink.RelaySignal()
    {
        if (IsServer)
            return false;
        RingDoorbell();
        return true;
    }

    /// <inheritdoc/>
    void IRingLink.Corrupted(string what) => Shutdown(CloseCode.Corrupt, "The ring holds " + what + ".");

    /// <inheritdoc/>
    void IRingLink.DisposeEnd() => Dispose();

    private void RingDoorbell() => _rules.Ring(_listenerRegion, Slot);
}
