using System;
using System.Collections.Generic;

namespace Ipc;

/// <summary>A participant: an open object of some process. What it says of itself.</summary>
public sealed unsafe class ParticipantInfo
{
    private ParticipantInfo(int index, ParticipantEntry* entry)
    {
        Index = index;
        Generation = (int)Atomic.LoadAcquire(ref entry->Generation);
        ProcessId = (int)entry->Pid;
        Role = (ParticipantRole)entry->Role;
        Runtime = entry->Runtime <= ParticipantEntry.RuntimeCSharp
            ? (ParticipantRuntime)entry->Runtime
            : ParticipantRuntime.Unknown;
        long ticks = (long)Math.Min(entry->Attached / 100, (ulong)(DateTime.MaxValue.Ticks - UnixEpoch.Ticks));
        Attached = UnixEpoch.AddTicks(ticks);
    }

    /// <summary>Its place in the table.</summary>
    public int Index { get; }

    /// <summary>Tells successive occupants of the same place apart.</summary>
    public int Generation { get; }

    /// <summary>Its process.</summary>
    public int ProcessId { get; }

    /// <summary>What it does here.</summary>
    public ParticipantRole Role { get; }

    /// <summary>The library that it uses.</summary>
    public ParticipantRuntime Runtime { get; }

    /// <summary>When it attached, UTC.</summary>
    public DateTime Attached { get; }

    private static DateTime UnixEpoch => new(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    /// <summary>Who is there; the caller keeps the memory mapped.</summary>
    internal static ParticipantInfo[] AllOf(Region region)
    {
        List<ParticipantInfo> found = new();
        for (int index = 0; index < region.Geometry.ParticipantCapacity; index++)
        {
            ParticipantInfo? info = Of(region, index);
            if (info is not null)
                found.Add(info);
        }

        return found.ToArray();
    }

    /// <summary>The live participant of that place; null when there is none.</summary>
    internal static ParticipantInfo? Of(Region region, int index)
    {
        ParticipantEntry* entry = region.Entry(index);
        // [live]
        return Atomic.LoadAcquire(ref entry->State) == ParticipantEntry.Live ? new ParticipantInfo(index, entry) : null;
    }
}
