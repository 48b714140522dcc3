namespace Ipc;

/// <summary>One end of a ring in a region with participants: who is at the other end, and whether it lives.</summary>
internal abstract unsafe class RingRole : IRingLink
{
    private readonly RingHeader* _header;
    private readonly bool _isWriter;
    private readonly PeerProcessors _processors;
    private uint _watchedAt;   // the change word at that look
    private int _watchedOwner; // the peer that is watched already, and its generation
    private uint _watchedGeneration;

    protected RingRole(Region region, RingHeader* header, bool isWriter)
    {
        Region = region;
        _header = header;
        _isWriter = isWriter;
        _processors = isWriter
            ? new PeerProcessors(&_header->WriterProcessor, &_header->ReaderProcessor)
            : new PeerProcessors(&_header->ReaderProcessor, &_header->WriterProcessor);
    }

    public virtual PeerState Peer
    {
        get
        {
            // [close]
            uint state = Atomic.LoadAcquire(ref _isWriter ? ref _header->ReaderState : ref _header->WriterState);
            return state <= (uint)PeerState.Died ? (PeerState)state : PeerState.Died;
        }
    }

    public WaiterWords* Change => &Region.Header->Change;

    public bool WakesReader => true;

    public WaiterWords* Doorbell => null;

    public MappedView? DoorbellView => null;

    protected Region Region { get; }

    public void IdentifyPeer(out int processId, out int generation)
    {
        processId = generation = 0;
        uint owner = Owner;
        if (RingRoles.IsLive(Region, owner))
        {
            processId = Region.ProcessOf((int)owner - 1).Pid;
            generation = (int)Region.Entry((int)owner - 1)->Generation;
        }
    }

    public void WatchPeer()
    {
        uint owner = Owner;
        if (!RingRoles.IsLive(Region, owner))
            return;

        // before the looks: who gives up in between moves it again
        uint change = Atomic.LoadAcquire(ref Region.Header->Change.Word) & ~WaiterWords.SleeperBit;
        if (_watchedAt != change && Region.HasGivenUp((int)owner - 1))
            Region.RecoverSoon();
        _watchedAt = change;
        uint generation = Atomic.LoadAcquire(ref Region.Entry((int)owner - 1)->Generation);
        if (_watchedOwner == owner && _watchedGeneration == generation)
            return;
        Region.WatchParticipant((int)owner - 1);
        _watchedGeneration = generation;
        _watchedOwner = (int)owner;
    }

    public bool IsPeerHere() => _processors.AreOne();

    public void NotePlace() => _processors.Note();

    public virtual void WakeReader()
    {
        // It sleeps at its data waiter, which has been signalled.
    }

    public virtual bool RelaySignal() => false;

    public void Corrupted(string what)
    {
        // A ring has no way to tell the other side; the exception tells this one.
    }

    public abstract void DisposeEnd();

    private uint Owner => Atomic.LoadAcquire(ref _isWriter ? ref _header->Reader : ref _header->Writer);
}
