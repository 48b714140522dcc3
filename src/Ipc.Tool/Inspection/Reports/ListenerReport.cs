using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>A listener and who is connected to it.</summary>
internal sealed record ListenerReport
{
    /// <summary>open, closed.</summary>
    public required string Server { get; init; }

    /// <summary>What its connections speak, in which versions; null: it does not say.</summary>
    public required string? Speaks { get; init; }

    /// <summary>Whether these are calls.</summary>
    public required bool SpeaksCalls { get; init; }

    public required int SlotCount { get; init; }

    public required ulong MaxRingCapacity { get; init; }

    /// <summary>Slots whose ready bit is set: the server has not looked yet.</summary>
    public required int Ready { get; init; }

    public required List<ListenerSlotReport> Slots { get; init; }

    public required WaiterReport Doorbell { get; init; }
}
