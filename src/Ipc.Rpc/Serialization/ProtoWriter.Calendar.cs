using System;

namespace Ipc.Rpc;

/// <content>Moments with an offset, days, times of day, and addresses; ProtoReader.Calendar.cs has the
/// messages.</content>
public ref partial struct ProtoWriter
{
    /// <summary>Writes a DateTimeOffset as a message of moment and offset.</summary>
    public void WriteDateTimeOffset(uint tag, DateTimeOffset value)
    {
        long ticks = value.UtcTicks;
        int start = StartMessage(tag);
        WriteSecondsAndNanos(
            (ticks / TimeSpan.TicksPerSecond) - WellKnown.UnixEpochSeconds,
            (int)(ticks % TimeSpan.TicksPerSecond) * WellKnown.NanosPerTick);
        int minutes = (int)(value.Offset.Ticks / TimeSpan.TicksPerMinute); // .NET has whole ones only
        if (minutes != 0)
            WriteSInt32(WellKnown.OffsetTag, minutes);
        EndMessage(start);
    }

    /// <summary>Writes a Uri as a string that reads as the same one everywhere: a path of this machine as a file
    /// address.</summary>
    /// <exception cref="ProtoException">It holds half a surrogate pair, which UTF-8 cannot express.</exception>
    public void WriteUri(uint tag, Uri value)
    {
        string text = value.OriginalString;
        bool isPath = value.IsAbsoluteUri &&
            !(text.StartsWith(value.Scheme, StringComparison.OrdinalIgnoreCase) &&
                text.Length > value.Scheme.Length && text[value.Scheme.Length] == ':');
        WriteString(tag, isPath ? value.AbsoluteUri : text);
    }

#if NET
    /// <summary>Writes a DateOnly as a message of year, month and day.</summary>
    public void WriteDateOnly(uint tag, DateOnly value)
    {
        int start = StartMessage(tag);
        value.Deconstruct(out int year, out int month, out int day);
        WriteInt32(1 << 3, year);
        WriteInt32(2 << 3, month);
        WriteInt32(3 << 3, day);
        EndMessage(start);
    }

    /// <summary>Writes a TimeOnly as a message of hours, minutes, seconds and nanoseconds.</summary>
    public void WriteTimeOnly(uint tag, TimeOnly value)
    {
        int start = StartMessage(tag);
        WriteUnlessZero(1 << 3, value.Hour);
        WriteUnlessZero(2 << 3, value.Minute);
        WriteUnlessZero(3 << 3, value.Second);
        WriteUnlessZero(4 << 3, (int)(value.Ticks % TimeSpan.TicksPerSecond) * WellKnown.NanosPerTick);
        EndMessage(start);
    }

    private void WriteUnlessZero(uint tag, int value)
    {
        if (value != 0)
            WriteInt32(tag, value);
    }
#endif
}
