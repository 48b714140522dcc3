using System;
using System.Collections.Generic;
using System.Text.Json.Serialization;

namespace Ipc.Tool;

/// <summary>All that can be seen of a region from outside.</summary>
internal sealed class RegionReport
{
    public required string Name { get; init; }

    public required string Path { get; init; }

    /// <summary>ring, listener, connection, queue, topic, mutex, semaphore, event, named; null when that cannot be said.</summary>
    public string? Kind { get; set; }

    public RegionState State { get; set; }

    /// <summary>Another user's.</summary>
    public bool IsStrangers { get; set; }

    public long Size { get; set; }

    /// <summary>Bytes of memory behind it: holes count for nothing.</summary>
    public long Memory { get; set; }

    public string? Version { get; set; }

    public string? Id { get; set; }

    public DateTime? Created { get; set; }

    public uint? CreatorPid { get; set; }

    [JsonConverter(typeof(LifetimeConverter))]
    public Lifetime? Lifetime { get; set; }

    /// <summary>Of a ring, a queue or a named connection: messages that were committed and not released, those in dead hands included.</summary>
    public long? Unread { get; set; }

    /// <summary>How many dead participants were cleaned up for.</summary>
    public uint? Recoveries { get; set; }

    public int? ParticipantCapacity { get; set; }

    public int Alive { get; set; }

    public int Dead { get; set; }

    /// <summary>The region lock is held: for a moment, unless who holds it was stopped.</summary>
    public bool? Locked { get; set; }

    /// <summary>Messages that wait (the slowest reader's, in a topic), clients connected, permits held.</summary>
    public long? Depth { get; set; }

    /// <summary>The same in words.</summary>
    public string? DepthText { get; set; }

    public RateReport? Rate { get; set; }

    public List<ParticipantReport> Participants { get; } = [];

    public RingReport? Ring { get; set; }

    public QueueReport? Queue { get; set; }

    public TopicReport? Topic { get; set; }

    public ListenerReport? Listener { get; set; }

    public ConnectionReport? Connection { get; set; }

    public NamedReport? Named { get; set; }

    /// <summary>Of a connection that is in use: the client's process.</summary>
    public uint? ClientPid { get; init; }

    /// <summary>And the server's.</summary>
    public uint? ServerPid { get; init; }

    public SyncReport? Sync { get; set; }

    public PoolReport? Pool { get; set; }

    /// <summary>Who holds what: slots, blocks, permits.</summary>
    public List<HoldingReport> Holdings { get; } = [];

    /// <summary>What must not be.</summary>
    public List<string> Damage { get; } = [];

    /// <summary>What is worth knowing.</summary>
    public List<string> Notes { get; } = [];

    [JsonIgnore]
    public Counters? Counters { get; set; }

    [JsonIgnore]
    public bool IsDead => State is RegionState.LeftOver or RegionState.Retired;
}
