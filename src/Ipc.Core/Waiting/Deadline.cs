using System;
using System.Globalization;
using System.Threading;

namespace Ipc;

/// <summary>The point in time at which a wait ends, on the monotonic clock, which is the same for all processes and
/// in C.</summary>
/// <remarks>The default value is <see cref="Now"/>: the call does not wait.</remarks>
public readonly struct Deadline : IEquatable<Deadline>
{
    private Deadline(ulong nanoseconds) => Nanoseconds = nanoseconds;

    /// <summary>Has already passed: a call with it never blocks.</summary>
    public static Deadline Now => default;

    /// <summary>Never passes: a call with it waits without limit.</summary>
    public static Deadline Never => new(ulong.MaxValue);

    /// <summary>CLOCK_MONOTONIC in ns; 0 is <see cref="Now"/>, the largest value <see cref="Never"/>.</summary>
    public ulong Nanoseconds { get; }

    /// <summary>Whether it has passed.</summary>
    public bool HasPassed => Nanoseconds == 0 || (Nanoseconds != ulong.MaxValue && Os.Current.Now() >= Nanoseconds);

    /// <summary>The time until then: zero if it has passed, <see cref="TimeSpan.MaxValue"/> for
    /// <see cref="Never"/>.</summary>
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

    /// <summary>Now plus <paramref name="duration"/>. Zero and negative durations give <see cref="Now"/>;
    /// <c>Timeout.InfiniteTimeSpan</c>, and a duration beyond the clock's range, give <see cref="Never"/>.</summary>
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
        Check(timeout, parameter);
        return After(timeout);
    }

    /// <summary>The check of <see cref="Within"/> alone, for calls that mostly need not wait: reading the clock costs
    /// them more than what they do, so they read it where a wait begins.</summary>
    internal static void Check(TimeSpan timeout, string parameter)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                parameter, timeout, "A timeout cannot be negative. Timeout.InfiniteTimeSpan waits for ever.");
    }

    /// <summary>Now plus <paramref name="milliseconds"/>. Zero, negative numbers and NaN give <see cref="Now"/>;
    /// <c>Timeout.Infinite</c> (-1), and a time beyond the clock's range, give <see cref="Never"/>.</summary>
    public static Deadline FromMilliseconds(double milliseconds) => milliseconds switch
    {
        Timeout.Infinite or >= 1e14 => Never,
        > 0 => After(TimeSpan.FromTicks((long)(milliseconds * TimeSpan.TicksPerMillisecond))),
        _ => Now,
    };

    /// <summary>A deadline from a value of the same clock in nanoseconds, for example from another process.</summary>
    public static Deadline FromNanoseconds(ulong nanoseconds) => new(nanoseconds);

    /// <summary>The earlier of two deadlines.</summary>
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
