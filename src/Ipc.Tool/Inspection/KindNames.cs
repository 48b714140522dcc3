namespace Ipc.Tool;

/// <summary>What the kinds of region are called.</summary>
internal static class KindNames
{
    public static string Of(uint kind) => (RegionKind)kind switch
    {
        RegionKind.OfRing => "ring",
        RegionKind.OfListener => "listener",
        RegionKind.OfConnection => "connection",
        RegionKind.OfQueue => "queue",
        RegionKind.OfTopic => "topic",
        RegionKind.OfMutex => "mutex",
        RegionKind.OfSemaphore => "semaphore",
        RegionKind.OfEvent => "event",
        _ => $"kind {kind}",
    };
}
