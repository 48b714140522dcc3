using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

// The messages are those that each contract's .proto declares (docs/guide/contracts.md, ADR 16). DateTimeOffset has the
// fields of google.protobuf.Timestamp and a third one, DateOnly and TimeOnly those of google.type.Date and TimeOfDay.

/// <content>Moments with an offset, days, times of day, and addresses.</content>
public ref partial struct ProtoReader
{
    /// <summary>The Uri that an absent one reads as: the empty, relative one.</summary>
    public static Uri EmptyUri { get; } = new(string.Empty, UriKind.Relative);

    private const string NotADay = "A day is not one of the years 1 to 9999";

    /// <summary>Reads a moment with the offset of its clock. What is finer than 100 ns is cut off.</summary>
    public DateTimeOffset ReadDateTimeOffset()
    {
        int at = _position;
        long seconds = 0;
        int nanos = 0;
        int minutes = 0;
        int outer = StartMessage();
        while (TryReadTag(out uint tag))
        {
            switch (tag)
            {
                case WellKnown.SecondsTag:
                    seconds = ReadInt64();
                    break;
                case WellKnown.NanosTag:
                    nanos = ReadInt32();
                    break;
                case WellKnown.OffsetTag:
                    minutes = ReadSInt32();
                    break;
                default:
                    SkipField(tag);
                    break;
            }
        }

        EndMessage(outer);
        long ticks = TicksOf(seconds, nanos, at);
        long clock = ticks;
        if (minutes is >= -WellKnown.MaxOffsetMinutes and <= WellKnown.MaxOffsetMinutes)
            clock += minutes * TimeSpan.TicksPerMinute;
        else
            clock = -1;
        if (clock < 0 || clock > DateTime.MaxValue.Ticks)
            ProtoThrow.Error(
                ProtoError.InvalidValue,
                at,
                "The offset of a moment is more than 14 hours, or its clock is not in the years 1 to 9999");
        return new DateTimeOffset(clock, TimeSpan.FromTicks(minutes * TimeSpan.TicksPerMinute));
    }

    /// <summary>Reads a Uri, absolute or relative, from its text.</summary>
    public Uri ReadUri()
    {
        int at = _position;
        string text = ReadString();
        if (text.Length == 0)
            return EmptyUri;

        // Where paths begin with a slash, .NET would take a relative address for a file.
        UriKind kind = text[0] == '/' ? UriKind.Relative : UriKind.RelativeOrAbsolute;
        return Uri.TryCreate(text, kind, out Uri? value)
            ? value
            : ProtoThrow.Error<Uri>(ProtoError.InvalidValue, at, "A string is not a Uri");
    }

#if NET
    /// <summary>Reads a day. A message without fields is 0001-01-01.</summary>
    /// <param name="tag">The tag that was just read, where the field, or a message around it, may come in several
    /// pieces: a part of a day need not be one. Then this is <c>default</c>, and the payload is refused at its end if
    /// nothing has made a day of it. 0 for an element of a list.</param>
    public DateOnly ReadDateOnly(uint tag = 0)
    {
        int at = _position;
        ReadFour(out int year, out int month, out int day, out _);
        if (year == 0 && month == 0 && day == 0)
            return default;

        bool isDay = year is >= 1 and <= 9999 && month is >= 1 and <= 12 && day >= 1 &&
            day <= DateTime.DaysInMonth(year, month);
        if (isDay)
            return new DateOnly(year, month, day);
        if (tag == 0)
            ProtoThrow.Error(ProtoError.InvalidValue, at, NotADay);
        (_unfit ??= new List<int>()).Add(at);
        return default;
    }

    /// <summary>Reads a time of day. What is finer than 100 ns is cut off.</summary>
    public TimeOnly ReadTimeOnly()
    {
        int at = _position;
        ReadFour(out int hours, out int minutes, out int seconds, out int nanos);
        bool isTime = hours is >= 0 and < 24 && minutes is >= 0 and < 60 && seconds is >= 0 and < 60 &&
            nanos is >= 0 and <= WellKnown.MaxNanos;
        if (!isTime)
            ProtoThrow.Error(ProtoError.InvalidValue, at, "A time of day is not one of 00:00:00 to 23:59:59.999999999");
        long whole = (((hours * 60L) + minutes) * 60) + seconds;
        return new TimeOnly((whole * TimeSpan.TicksPerSecond) + (nanos / WellKnown.NanosPerTick));
    }

    /// <summary>Reads a message whose fields are the int32 of the numbers 1 to 4.</summary>
    private void ReadFour(out int first, out int second, out int third, out int fourth)
    {
        first = second = third = fourth = 0;
        int outer = StartMessage();
        while (TryReadTag(out uint tag))
        {
            switch (tag)
            {
                case 1 << 3:
                    first = ReadInt32();
                    break;
                case 2 << 3:
                    second = ReadInt32();
                    break;
                case 3 << 3:
                    third = ReadInt32();
                    break;
                case 4 << 3:
                    fourth = ReadInt32();
                    break;
                default:
                    SkipField(tag);
                    break;
            }
        }

        EndMessage(outer);
    }
#endif

    /// <summary>At the end of a message: that of the payload is the last one that could have brought more
    /// pieces.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly bool ThrowIfUnfit()
    {
        if (_depth == 0 && _unfit!.Count != 0)
            ProtoThrow.Error(ProtoError.InvalidValue, _unfit[0], NotADay);
        return false;
    }
}
