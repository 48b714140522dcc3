using System.Diagnostics;

namespace Ipc;

/// <summary>What the meter "Ipc.Core" tells of topics; docs/telemetry.md.</summary>
internal static class TopicMetrics
{
#if NET
    private static readonly Metered<TopicEnd> s_topics = Create();

    private static Metered<TopicEnd> Create()
    {
        Metered<TopicEnd> topics = new(static end => end.Region.Name);
        topics.Observe(
            "ipc.topic.readers",
            "{reader}",
            "Readers that are attached and not cut off.",
            static end => end.GetInfo().Readers);
        topics.Observe(
            "ipc.topic.behind",
            CoreMeter.Messages,
            "How far the slowest end that is open here, or that it waits for, is behind.",
            static end => end.GetInfo().Behind);
        topics.Count(
            "ipc.topic.written",
            CoreMeter.Messages,
            "Messages that were written, and places given up.",
            static end => end.GetInfo().Tail - end.BlockCount);
        topics.Count(
            "ipc.topic.evictions", "{reader}", "Readers that were cut off.", static end => end.GetInfo().Evictions);
        topics.Observe(
            "ipc.topic.loans.present",
            "By",
            "Memory that long messages have.",
            static end => end.GetInfo().LoansPresent);
        topics.Count(
            "ipc.topic.loans.exhausted",
            "{failure}",
            "How often a long message found no memory.",
            static end => end.GetInfo().LoansExhausted);
        return topics;
    }
#endif

    /// <summary>The end of a topic is open: the topic's numbers are told until it is disposed or forgotten.</summary>
    [Conditional("NET")]
    public static void Add(TopicEnd end)
    {
#if NET
        s_topics.Add(end);
#endif
    }

    [Conditional("NET")]
    public static void Remove(TopicEnd end)
    {
#if NET
        s_topics.Remove(end);
#endif
    }
}
