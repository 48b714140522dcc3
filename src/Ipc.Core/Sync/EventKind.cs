namespace Ipc;

/// <summary>An event's region. Nobody holds an event, so nothing is taken back.</summary>
internal sealed unsafe class EventKind : SyncKind
{
    public static readonly EventKind Instance = new();

    public override KindNumber Number => KindNumber.OfEvent;

    public override WaiterWords* WaiterOf(Region region) => &HeaderOf(region)->Waiting;

    public override void CheckBody(Region region)
    {
        Check(region, EventHeader.ByteSize, EventHeader.MagicValue);
        uint manual = Atomic.LoadAcquire(ref HeaderOf(region)->Manual);
        if (manual > 1)
            Throw.Corrupt($"{region.Path}: an event whose manual reset is {manual}; it is 0 or 1.");
        ((EventEntrance)region.Entrance).IsManual = manual == 1;
    }

    protected override void TakeBack(Region region, uint gone)
    {
    }

    private static EventHeader* HeaderOf(Region region) => (EventHeader*)region.Body;
}
