namespace Ipc.Tool;

/// <summary>What the kinds of region are called.</summary>
internal static class KindNames
{
    public static string Of(uint kind) => (KindNumber)kind switch
    {
        KindNumber.OfRing => "ring",
        KindNumber.OfListener => "listener",
        KindNumber.OfConnection => "connection",
        KindNumber.OfQueue => "queue",
        KindNumber.OfTopic => "topic",
        KindNumber.OfMutex => "mutex",
        KindNumber.OfSemaphore => "semaphore",
        KindNumber.OfEvent => "event",
        KindNumber.OfNamedConnection => "named",
        _ => $"kind {kind}",
    };

    public static KindNumber Kind(string? name) => name switch
    {
        "ring" => KindNumber.OfRing,
        "queue" => KindNumber.OfQueue,
        "topic" => KindNumber.OfTopic,
        "listener" => KindNumber.OfListener,
        "connection" => KindNumber.OfConnection,
        "mutex" => KindNumber.OfMutex,
        "semaphore" => KindNumber.OfSemaphore,
        "named" => KindNumber.OfNamedConnection,
        _ => KindNumber.OfEvent,
    };
}
