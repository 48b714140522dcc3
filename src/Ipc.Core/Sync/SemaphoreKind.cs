namespace Ipc;

/// <summary>A semaphore's region.</summary>
/// <remarks>Each permit is a word of its own, so a holder's death leaves no doubt about what it held. A permit that
/// came back is marked, in its own word: whoever takes that very permit is told, once, however often the recovery is
/// killed and done again. The number of them may be wrong: it only says that they are looked for first.</remarks>
internal sealed unsafe class SemaphoreKind : SyncKind
{
    public static readonly SemaphoreKind Instance = new();

    public override KindNumber Number => KindNumber.OfSemaphore;

    public override WaiterWords* WaiterOf(Region region) => &HeaderOf(region)->Waiting;

    public static uint* TableOf(Region region) => (uint*)(region.Body + SemaphoreHeader.ByteSize);

    public override void CheckBody(Region region)
    {
        Check(region, SemaphoreHeader.ByteSize, SemaphoreHeader.MagicValue);
        uint permits = Atomic.LoadAcquire(ref HeaderOf(region)->Permits);
        ulong room = (region.Geometry.BodySize - SemaphoreHeader.ByteSize) / sizeof(uint);
        if (permits is 0 or > SemaphoreHeader.MaxPermits || permits > room)
            Throw.Corrupt(
                $"{region.Path}: a semaphore of {permits} permits with room for {room}; 1 to " +
                $"{SemaphoreHeader.MaxPermits} are possible.");
        Of(region).Permits = permits;
    }

    protected override void TakeBack(Region region, uint gone)
    {
        uint* table = TableOf(region);
        for (uint permit = 0; permit < Of(region).Permits; permit++)
        {
            uint owner = Atomic.LoadAcquire(ref table[permit]);
            if (owner is 0 or SemaphoreHeader.AbandonedPermit || !IsGone(region, owner, gone))
                continue;
            Add(&HeaderOf(region)->Abandoned, 1); // first: too high is found out, too low is not
            FaultPoints.Pass(FaultPoints.SemaphoreRecoverCounted);
            Atomic.TryExchange(&table[permit], owner, SemaphoreHeader.AbandonedPermit); // [owner]
        }
    }

    private static void Add(uint* number, uint count)
    {
        uint seen;
        do
            seen = Atomic.LoadAcquire(ref *number);
        while (!Atomic.TryExchange(number, seen, seen + count));
    }

    private static SemaphoreEntrance Of(Region region) => (SemaphoreEntrance)region.Entrance;

    private static SemaphoreHeader* HeaderOf(Region region) => (SemaphoreHeader*)region.Body;
}
