using System;

namespace Ipc.Native;

/// <summary>Until when a call may wait. The default is <see cref="Now"/>: it does not wait at all.</summary>
public readonly struct NativeDeadline : IEquatable<NativeDeadline>
{
    private NativeDeadline(ulong value) => Value = value;

    /// <summary>Does not wait.</summary>
    public static NativeDeadline Now => default;

    /// <summary>Waits as long as it takes.</summary>
    public static NativeDeadline Forever => new(ulong.MaxValue);

    /// <summary>Nanoseconds of CLOCK_MONOTONIC.</summary>
    internal ulong Value { get; }

    /// <summary>From now on for <paramref name="duration"/>; a negative one is over already.</summary>
    public static NativeDeadline After(TimeSpan duration)
    {
        NativeLoader.Ensure();
        return duration <= TimeSpan.Zero ? Now : new(NativeMethods.ipc_deadline_after((ulong)Math.Min(duration.Ticks, long.MaxValue / 100) * 100));
    }

    /// <inheritdoc/>
    public bool Equals(NativeDeadline other) => Value == other.Value;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is NativeDeadline other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Value.GetHashCode();

    /// <summary>The same moment.</summary>
    public static bool operator ==(NativeDeadline left, NativeDeadline right) => left.Equals(right);

    /// <summary>Not the same moment.</summary>
    public static bool operator !=(NativeDeadline left, NativeDeadline right) => !left.Equals(right);
}
