using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>What the two rings ask of their connection.</summary>
public sealed unsafe partial class Connection : IRingLink
{
    /// <inheritdoc/>
    PeerState IRingLink.Peer
    {
        [MethodImpl(Tiering.Optimized)]
        get => PeerNow;
    }

    /// <inheritdoc/>
    WaiterWords* IRingLink.Change => null;

    /// <inheritdoc/>
    bool IRingLink.WakesReader => !IsServer;

    /// <inheritdoc/>
    WaiterWords* IRingLink.Doorbell => &((ListenerHeader*)_listenerRegion.Body)->Doorbell;

    /// <inheritdoc/>
    MappedView? IRingLink.DoorbellView => IsServer ? _listenerRegion.View : null;

    /// <inheritdoc/>
    void IRingLink.WakeReader()
    {
        if (!IsServer || !_listenerRegion.View.TryUse())
            return;
        try
        {
            Waiter.SignalAlways(&((ListenerHeader*)_listenerRegion.Body)->Doorbell);
        }
        finally
        {
            _listenerRegion.View.Unuse();
        }
    }

    /// <inheritdoc/>
    void IRingLink.IdentifyPeer(out int processId, out int generation)
    {
        processId = PeerProcessId;
        generation = (int)_peerGeneration;
    }

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    void IRingLink.WatchPeer()
    {
        // It has been watched since the connection was made.
    }

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    bool IPeerPlace.IsPeerHere() => IsPeerOnThisProcessor();

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    void IPeerPlace.NotePlace() => Use(static connection => connection._processors.Note(), 0u);

    /// <summary>A client's publish found the flag of an armed connection.</summary>
    [MethodImpl(Tiering.Optimized)]
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

    private void RingDoorbell() => _entrance.Ring(_listenerRegion, Slot);
}
