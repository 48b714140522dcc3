namespace Ipc;

/// <summary>An end of a named connection's ring, to the ring. A client's publish that finds the server asleep also
/// notifies its session: the server may sleep on the doorbell of its listener.</summary>
internal sealed unsafe class NamedLink : RingRole
{
    private readonly NamedEnds _ends;
    private readonly bool _isWriter;

    public NamedLink(NamedEnds ends, Region region, RingHeader* header, bool isWriter)
        : base(region, header, isWriter)
    {
        _ends = ends;
        _isWriter = isWriter;
    }

    public override PeerState Peer => _ends.HasLostSession(_isWriter) ? PeerState.Left : base.Peer;

    public override bool RelaySignal()
    {
        _ends.NotifyServer();
        return false; // and it may sleep on the ring's own word
    }

    public override void WakeReader() => _ends.NotifySession();

    public override void DisposeEnd() => _ends.Dispose();
}
