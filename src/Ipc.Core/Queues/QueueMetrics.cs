using System.Diagnostics;

namespace Ipc;

/// <summary>What the meter "Ipc.Core" tells of queues; docs/telemetry.md.</summary>
internal static class QueueMetrics
{
#if NET
    private static readonly Metered<SharedQueue> s_queues = Create();

    private static Metered<SharedQueue> Create()
    {
        Metered<SharedQueue> queues = new(static queue => queue.Name);
        queues.Observe(
            "ipc.queue.depth",
            CoreMeter.Messages,
            "Messages sent or being sent and not yet taken, about.",
            static queue => queue.GetInfo().Depth);
        queues.Observe(
            "ipc.queue.segments", "{segment}", "Segments that have memory.", static queue => queue.GetInfo().Segments);
        queues.Count(
            "ipc.queue.redelivered",
            CoreMeter.Messages,
            "Messages made available again because their receiver died or left.",
            static queue => queue.GetInfo().Redelivered);
        queues.Count(
            "ipc.queue.dropped",
            CoreMeter.Messages,
            "Messages dropped because their receiver died or left.",
            static queue => queue.GetInfo().Dropped);
        queues.Count(
            "ipc.queue.growth_failures",
            "{failure}",
            "How often there was no memory for another segment.",
            static queue => queue.GetInfo().GrowthFailures);
        queues.Observe(
            "ipc.queue.loans.present",
            "By",
            "Memory that long messages have.",
            static queue => queue.GetInfo().LoansPresent);
        queues.Count(
            "ipc.queue.loans.exhausted",
            "{failure}",
            "How often a long message found no memory, about.",
            static queue => queue.GetInfo().LoansExhausted);
        return queues;
    }
#endif

    /// <summary>The queue is open: its numbers are told until it is disposed or forgotten.</summary>
    [Conditional("NET")]
    public static void Add(SharedQueue queue)
    {
#if NET
        s_queues.Add(queue);
#endif
    }

    [Conditional("NET")]
    public static void Remove(SharedQueue queue)
    {
#if NET
        s_queues.Remove(queue);
#endif
    }
}
