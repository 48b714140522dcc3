using System.Collections.Generic;
using System.Diagnostics;
#if NET
using System;
using System.Diagnostics.Metrics;
using System.Runtime.Loader;
#endif

namespace Ipc;

/// <summary>The meter "Ipc.Core": what the structures that this process has open go through, for whoever collects metrics.</summary>
/// <remarks>
/// <para>
/// Nothing is measured for it. What is counted stands in shared memory anyway, and is read when a listener asks; the rest is rare (a death, a
/// message that was overwritten). The numbers of a queue or topic are those of all its processes, so each is told once, however often it is
/// open here; <c>ipc.topic.lost</c> and <c>ipc.participant.deaths</c> are what this process has seen itself.
/// </para>
/// <para>
/// Not in the netstandard2.0 build: meters are not part of that framework, and the package that has them would bring the first binding redirect to
/// .NET Framework programs.
/// </para>
/// </remarks>
internal static class CoreMeter
{
#if NET
    private const string Messages = "{message}";
    private const string NameTag = "ipc.name";

    private static readonly Meter s_meter = Create();
    private static readonly Counter<long> s_deaths = s_meter.CreateCounter<long>(
        "ipc.participant.deaths", "{participant}", "Participants that died and that this process has cleaned up for.");
    private static readonly Counter<long> s_lost = s_meter.CreateCounter<long>(
        "ipc.topic.lost", Messages, "Messages that readers of this process did not get: overwritten, or missed after being cut off.");
    private static readonly List<WeakReference<SharedQueue>> s_queues = new(); // both under their own lock
    private static readonly List<WeakReference<TopicEnd>> s_topics = new();

    static CoreMeter()
    {
        Observe("ipc.queue.depth", Messages, "Messages sent or being sent and not yet taken, about.", static (QueueInfo info) => info.Depth);
        Observe("ipc.queue.segments", "{segment}", "Segments that have memory.", static (QueueInfo info) => info.Segments);
        Count("ipc.queue.redelivered", Messages, "Messages made available again because their receiver died or left.", static (QueueInfo info) => info.Redelivered);
        Count("ipc.queue.dropped", Messages, "Messages dropped because their receiver died or left.", static (QueueInfo info) => info.Dropped);
        Count("ipc.queue.growth_failures", "{failure}", "How often there was no memory for another segment.", static (QueueInfo info) => info.GrowthFailures);
        Observe("ipc.queue.loans.present", "By", "Memory that long messages have.", static (QueueInfo info) => info.LoansPresent);
        Count("ipc.queue.loans.exhausted", "{failure}", "How often a long message found no memory, about.", static (QueueInfo info) => info.LoansExhausted);

        Observe("ipc.topic.readers", "{reader}", "Readers that are attached and not cut off.", static (TopicInfo info) => info.Readers);
        Observe("ipc.topic.behind", Messages, "How far the slowest end that is open here, or that it waits for, is behind.", static (TopicInfo info) => info.Behind);
        Count("ipc.topic.written", Messages, "Messages that were written, and places given up.", static (TopicInfo info) => info.Tail - info.BlockCount);
        Count("ipc.topic.evictions", "{reader}", "Readers that were cut off.", static (TopicInfo info) => info.Evictions);
        Observe("ipc.topic.loans.present", "By", "Memory that long messages have.", static (TopicInfo info) => info.LoansPresent);
        Count("ipc.topic.loans.exhausted", "{failure}", "How often a long message found no memory.", static (TopicInfo info) => info.LoansExhausted);
    }
#endif

    /// <summary>The queue is open: its numbers are told until it is disposed or forgotten.</summary>
    [Conditional("NET")]
    public static void Add(SharedQueue queue)
    {
#if NET
        Add(s_queues, queue);
#endif
    }

    [Conditional("NET")]
    public static void Remove(SharedQueue queue)
    {
#if NET
        Remove(s_queues, queue);
#endif
    }

    /// <summary>The end of a topic is open: the topic's numbers are told until it is disposed or forgotten.</summary>
    [Conditional("NET")]
    public static void Add(TopicEnd end)
    {
#if NET
        Add(s_topics, end);
#endif
    }

    [Conditional("NET")]
    public static void Remove(TopicEnd end)
    {
#if NET
        Remove(s_topics, end);
#endif
    }

    /// <summary>A reader of this process has lost messages.</summary>
    [Conditional("NET")]
    public static void Lost(string name, ulong count)
    {
#if NET
        if (s_lost.Enabled)
            s_lost.Add((long)count, new KeyValuePair<string, object?>(NameTag, name));
#endif
    }

    /// <summary>This process has cleaned up for a participant that died.</summary>
    [Conditional("NET")]
    public static void Died(string name)
    {
#if NET
        if (s_deaths.Enabled)
            s_deaths.Add(1, new KeyValuePair<string, object?>(NameTag, name));
#endif
    }

#if NET
    /// <summary>The runtime's list of meters would keep a load context that can be unloaded from ever being so.</summary>
    private static Meter Create()
    {
        var meter = new Meter("Ipc.Core", typeof(CoreMeter).Assembly.GetName().Version?.ToString(3));
        if (AssemblyLoadContext.GetLoadContext(typeof(CoreMeter).Assembly) is { IsCollectible: true } context)
            context.Unloading += _ => meter.Dispose();
        return meter;
    }

    private static void Observe(string name, string unit, string description, Func<QueueInfo, long> number)
        => s_meter.CreateObservableUpDownCounter(name, () => Of(s_queues, static queue => queue.Name, queue => number(queue.GetInfo())), unit, description);

    private static void Count(string name, string unit, string description, Func<QueueInfo, long> number)
        => s_meter.CreateObservableCounter(name, () => Of(s_queues, static queue => queue.Name, queue => number(queue.GetInfo())), unit, description);

    private static void Observe(string name, string unit, string description, Func<TopicInfo, long> number)
        => s_meter.CreateObservableUpDownCounter(name, () => Of(s_topics, static end => end.Region.Name, end => number(end.GetInfo())), unit, description);

    private static void Count(string name, string unit, string description, Func<TopicInfo, long> number)
        => s_meter.CreateObservableCounter(name, () => Of(s_topics, static end => end.Region.Name, end => number(end.GetInfo())), unit, description);

    /// <summary>One number for each name: the largest that any of its objects knows (a topic's writer knows another "behind" than its readers).</summary>
    private static List<Measurement<long>> Of<T>(List<WeakReference<T>> live, Func<T, string> name, Func<T, long> number)
        where T : class
    {
        var largest = new SortedDictionary<string, long>(StringComparer.Ordinal);
        foreach (T structure in Present(live))
        {
            long value = number(structure);
            string of = name(structure);
            if (!largest.TryGetValue(of, out long known) || known < value)
                largest[of] = value;
        }

        var measured = new List<Measurement<long>>(largest.Count);
        foreach (KeyValuePair<string, long> pair in largest)
            measured.Add(new Measurement<long>(pair.Value, new KeyValuePair<string, object?>(NameTag, pair.Key)));
        return measured;
    }

    private static List<T> Present<T>(List<WeakReference<T>> live)
        where T : class
    {
        var present = new List<T>();
        lock (live)
        {
            foreach (WeakReference<T> weak in live)
            {
                if (weak.TryGetTarget(out T? structure))
                    present.Add(structure);
            }
        }

        return present;
    }

    private static void Add<T>(List<WeakReference<T>> live, T structure)
        where T : class
    {
        lock (live)
        {
            live.RemoveAll(static weak => !weak.TryGetTarget(out _)); // those that were never disposed
            live.Add(new WeakReference<T>(structure));
        }
    }

    private static void Remove<T>(List<WeakReference<T>> live, T structure)
        where T : class
    {
        lock (live)
            live.RemoveAll(weak => weak.TryGetTarget(out T? other) && ReferenceEquals(other, structure));
    }
#endif
}
