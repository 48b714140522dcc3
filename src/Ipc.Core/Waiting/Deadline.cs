using System;
using System.Globalization;
using System.Threading;

namespace Ipc;

/// <summary>A moment of the monotonic clock at which waiting ends; the clock is the same in every process and in
/// C.</summary>
/// <remarks>The default value is <see cref="Now"/>: do not wait at all.</remarks>
public readonly struct Deadline : IEquatable<Deadline>
{
    private Deadline(ulong nanoseconds) => Nanoseconds = nanoseconds;

    /// <summary>Already over: a call with it never blocks.</summary>
    public static Deadline Now => default;

    /// <summary>Never over.</summary>
    public static Deadline Never => new(ulong.MaxValue);

    /// <summary>CLOCK_MONOTONIC in ns; 0 is <see cref="Now"/>, the largest value <see cref="Never"/>.</summary>
    public ulong Nanoseconds { get; }

    /// <summary>It is over.</summary>
    public bool HasPassed => Nanoseconds == 0 || (Nanoseconds != ulong.MaxValue && Os.Current.Now() >= Nanoseconds);

    /// <summary>What is left; zero when it is over, <see cref="TimeSpan.MaxValue"/> when it never will be.</summary>
    public TimeSpan Remaining
    {
        get
        {
            if (Nanoseconds == ulong.MaxValue)
                return TimeSpan.MaxValue;
            if (Nanoseconds == 0)
                return TimeSpan.Zero;
            ulong now = Os.Current.Now();
            return now >= Nanoseconds
                ? TimeSpan.Zero
                : TimeSpan.FromTicks((long)Math.Min((Nanoseconds - now + 99) / 100, long.MaxValue));
        }
    }

    /// <summary>Now + <paramref name="duration"/>. Zero and negative: <see cref="Now"/>, because a moment that is past
    /// is over. <c>Timeout.InfiniteTimeSpan</c>, and what is beyond the clock: <see cref="Never"/>.</summary>
    public static Deadline After(TimeSpan duration)
    {
        if (duration <= TimeSpan.Zero)
            return duration == Timeout.InfiniteTimeSpan ? Never : Now;
        ulong now = Os.Current.Now();
        ulong ticks = (ulong)duration.Ticks;
        return ticks > (ulong.MaxValue - now) / 100 - 1 ? Never : new Deadline(now + ticks * 100);
    }

    /// <summary>Now + <paramref name="timeout"/>, for calls that refuse a negative one, which would be a mistake; -1 ms
    /// is for ever.</summary>
    internal static Deadline Within(TimeSpan timeout, string parameter)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                parameter, timeout, "A timeout cannot be negative. Timeout.InfiniteTimeSpan waits for ever.");
        return After(timeout);
    }

    /// <summary>Now + <paramref name="milliseconds"/>. Zero, negative and no number: <see cref="Now"/>.
    /// <c>Timeout.Infinite</c>, which is -1, and what is beyond the clock: <see cref="Never"/>.</summary>
    public static Deadline FromMilliseconds(double milliseconds) => milliseconds switch
    {
        Timeout.Infinite or >= 1e14 => Never,
        > 0 => After(TimeSpan.FromTicks((long)(milliseconds * TimeSpan.TicksPerMillisecond))),
        _ => Now,
    };

    /// <summary>A deadline that came from elsewhere, in ns of the same clock.</summary>
    public static Deadline FromNanoseconds(ulong nanoseconds) => new(nanoseconds);

    /// <summary>The one that is over first.</summary>
    public static Deadline Earlier(Deadline left, Deadline right) =>
        left.Nanoseconds <= right.Nanoseconds ? left : right;

    /// <inheritdoc/>
    public bool Equals(Deadline other) => Nanoseconds == other.Nanoseconds;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Deadline other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Nanoseconds.GetHashCode();

    /// <inheritdoc/>
    public override string ToString() => Nanoseconds switch
    {
        0 => "now",
        ulong.MaxValue => "never",
        _ => string.Format(CultureInfo.InvariantCulture, "in {0}", Remaining),
    };

    /// <summary>The same moment.</summary>
    public static bool operator ==(Deadline left, Deadline right) => left.Equals(right);

    /// <summary>Another moment.</summary>
    public static bool operator !=(Deadline left, Deadline right) => !left.Equals(right);
}
