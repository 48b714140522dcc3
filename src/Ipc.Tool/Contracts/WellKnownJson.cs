using System;
using System.Globalization;

namespace Ipc.Tool;

/// <summary>Times and durations, which JSON has as texts.</summary>
internal static class WellKnownJson
{
    private const long Billion = 1_000_000_000;

    public static void WriteTimestamp(WireWriter writer, string text, string path)
    {
        if (!DateTime.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal | DateTimeStyles.AssumeUniversal, out DateTime time))
            throw new ToolException(ExitCode.Usage, $"{path} is \"{text}\"; a time such as 2026-01-31T12:00:00.5Z was expected.");
        long ticks = (time - DateTime.UnixEpoch).Ticks;
        long seconds = Math.DivRem(ticks, TimeSpan.TicksPerSecond, out long rest);
        if (rest < 0) // the nanoseconds count forward, also before 1970
        {
            seconds--;
            rest += TimeSpan.TicksPerSecond;
        }

        Write(writer, seconds, rest * 100);
    }

    public static void WriteDuration(WireWriter writer, string text, string path)
    {
        if (!text.EndsWith('s') || !decimal.TryParse(text.AsSpan(0, text.Length - 1), NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal value) ||
            Math.Abs(value) > 315_576_000_000)
        {
            throw new ToolException(ExitCode.Usage, $"{path} is \"{text}\"; a duration such as 1.5s was expected.");
        }

        decimal whole = decimal.Truncate(value);
        Write(writer, (long)whole, (long)((value - whole) * Billion));
    }

    public static string Timestamp(long seconds, long nanos) => seconds is >= -62_135_596_800 and <= 253_402_300_799 && nanos is >= 0 and < Billion
        ? DateTime.UnixEpoch.AddSeconds(seconds).ToString("yyyy-MM-dd'T'HH:mm:ss", CultureInfo.InvariantCulture) + Fraction(nanos) + "Z"
        : $"{seconds} s, {nanos} ns, which is no time";

    public static string Duration(long seconds, long nanos)
    {
        bool negative = seconds < 0 || nanos < 0;
        return (negative ? "-" : "") + decimal.Abs(seconds).ToString(CultureInfo.InvariantCulture) + Fraction((long)Math.Min(Billion - 1, decimal.Abs(nanos))) + "s";
    }

    private static string Fraction(long nanos) => nanos == 0 ? "" : "." + nanos.ToString("000000000", CultureInfo.InvariantCulture).TrimEnd('0');

    private static void Write(WireWriter writer, long seconds, long nanos)
    {
        writer.Tag(1, 0);
        writer.Varint((ulong)seconds);
        writer.Tag(2, 0);
        writer.Varint((ulong)nanos);
    }
}
