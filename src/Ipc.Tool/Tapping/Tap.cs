using System;
using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>Sees messages pass without taking part: no cursor, no lock, nothing is held up.</summary>
/// <remarks>
/// So whoever really reads may be faster: what it released before the tap looked is missed, and counted as far as it can be. Each message is
/// copied and then looked at again: was its place used for another meanwhile, the copy is thrown away.
/// </remarks>
internal abstract class Tap
{
    /// <summary>What passed unseen: messages, or bytes in a ring.</summary>
    public ulong Missed { get; protected set; }

    /// <summary>Of <see cref="Missed"/>.</summary>
    public abstract string Unit { get; }

    /// <summary>What has come since the last time.</summary>
    public abstract IEnumerable<TappedMessage> Poll();

    public static Tap Open(RegionLook look, RegionReport report, bool fromOldest) => report.Kind switch
    {
        "ring" => new RingTap(look, look.Body, fromOldest),
        "queue" => new QueueTap(look, fromOldest),
        "topic" => new TopicTap(look, fromOldest),
        "listener" => throw new ToolException(ExitCode.Unusable,
            $"{report.Name} is a listener: its connections have no names, so nobody can look into them. Try 'ipc call', or listen to the telemetry of a process."),
        _ => throw new ToolException(ExitCode.Unusable, $"{report.Name} is a {report.Kind}: no messages pass there. Rings, queues and topics have some."),
    };
}
