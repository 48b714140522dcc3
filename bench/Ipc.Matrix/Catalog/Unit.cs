using System;

namespace Ipc.Matrix;

/// <summary>What a figure is counted in.</summary>
internal enum Unit
{
    Nanoseconds,
    Microseconds,
    Milliseconds,
    MillionPerSecond,
    GigabytesPerSecond,
    BytesPerCall,
    Times,
    PercentOfCore,
    KibibytesEach,
}

internal static class Units
{
    public static string Symbol(this Unit unit) => unit switch
    {
        Unit.Nanoseconds => "ns",
        Unit.Microseconds => "us",
        Unit.Milliseconds => "ms",
        Unit.MillionPerSecond => "M/s",
        Unit.GigabytesPerSecond => "GB/s",
        Unit.BytesPerCall => "B/call",
        Unit.Times => "x",
        Unit.PercentOfCore => "%",
        Unit.KibibytesEach => "KiB",
        _ => throw new ArgumentOutOfRangeException(nameof(unit)),
    };

    /// <summary>The value in another unit of the same kind: a ratio needs both in one.</summary>
    public static double Convert(double value, Unit from, Unit to) => (from, to) switch
    {
        _ when from == to => value,
        (Unit.Nanoseconds, Unit.Microseconds) => value / 1000,
        (Unit.Microseconds, Unit.Nanoseconds) => value * 1000,
        _ => throw new ArgumentException($"There is no way from {from.Symbol()} to {to.Symbol()}."),
    };
}
