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

    public static RegionKind Kind(string? name) => name switch
    {
        "ring" => RegionKind.OfRing,
        "queue" => RegionKind.OfQueue,
        "topic" => RegionKind.OfTopic,
        "listener" => RegionKind.OfListener,
        "connection" => RegionKind.OfConnection,
        "mutex" => RegionKind.OfMutex,
        "semaphore" => RegionKind.OfSemaphore,
        _ => RegionKind.OfEvent,
    };
}
