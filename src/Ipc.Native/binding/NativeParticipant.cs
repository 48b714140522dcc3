using System;

namespace Ipc.Native;

/// <summary>Somebody who takes part in a queue or a topic, as it names itself: <c>ipc_participant_info</c>.</summary>
public sealed class NativeParticipant
{
    internal NativeParticipant(in ParticipantInfoData data)
    {
        Index = checked((int)data.Index);
        Generation = data.Generation;
        ProcessId = unchecked((int)data.Pid);
        IsWriter = (data.Role & 1) != 0;
        IsReader = (data.Role & 2) != 0;
        Runtime = unchecked((int)data.Runtime);
        Attached = new DateTimeOffset(1970, 1, 1, 0, 0, 0, TimeSpan.Zero).AddTicks((long)Math.Min(data.Attached / 100, int.MaxValue * 10_000_000UL));
    }

    /// <summary>Its place in the table: may be another's after it has gone.</summary>
    public int Index { get; }

    /// <summary>Tells one from the next at the same place.</summary>
    public long Generation { get; }

    /// <summary>Its process.</summary>
    public int ProcessId { get; }

    /// <summary>It sends, or writes.</summary>
    public bool IsWriter { get; }

    /// <summary>It receives, or reads.</summary>
    public bool IsReader { get; }

    /// <summary>1 is the C library, 2 the C# library.</summary>
    public int Runtime { get; }

    /// <summary>When it came.</summary>
    public DateTimeOffset Attached { get; }
}
