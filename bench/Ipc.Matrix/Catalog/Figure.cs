using System;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>Who runs the two processes of a figure: a program of bench/native, or this one.</summary>
internal enum Runner
{
    NativeLimits,
    NativeRing,
    NativeNamed,
    NativeConnect,
    NativeSockets,
    NativeRpc,
    NativeCrew,
    NativeCliff,
    NativeRival,
    ManagedCrew,
    Managed,
    Mixed, // a half of each: who calls and who serves is the end of the name
}

/// <summary>One row of the table.</summary>
/// <param name="Name">Stable and dotted: scripts and earlier results know it.</param>
/// <param name="Limit">The figure that is the denominator of the ratio, measured in the same second; null for limits themselves.</param>
/// <param name="Target">The ratio to reach: at most, for times; at least, for rates.</param>
/// <param name="Rival">What a user would take instead, measured in the same run.</param>
/// <param name="Most">Instead of a ratio: the value that it may have at most.</param>
/// <param name="Least">The same for rates: the value that it must have at least.</param>
/// <param name="Optional">Left out where its program is not built: the library that it measures is not installed.</param>
/// <param name="Latency">A round trip: its quantiles are measured too.</param>
/// <param name="Spins">Both sides look again and again while they wait, always or, as by default, for a while: it needs two cores, because on one a spinning process only keeps the other from answering.</param>
/// <param name="TwoCores">It sleeps while it waits, and needs two cores all the same.</param>
/// <param name="Tuned">The options that are not the library's defaults; null: all are, but for the wait that the name says.</param>
internal sealed record Figure(string Name, Unit Unit, Runner Runner, string? Limit = null, double? Target = null, string? Rival = null, bool Spins = false, double? Most = null,
    double? Least = null, bool Optional = false, bool Latency = false, Tuning? Tuned = null, bool TwoCores = false)
{
    /// <summary>How both sides wait, where the name says so (spin, block); null: as by default.</summary>
    public WaitMode? Wait => Name.Split('.') is var parts && parts.Contains("spin") ? WaitMode.Spin : parts.Contains("block") ? WaitMode.Block : null;

    /// <summary>A new pair of processes for each round, as they come: not warmed up, on any core, with default options.</summary>
    public bool IsPlain => Name.StartsWith("default.", StringComparison.Ordinal) || Name.StartsWith("busy.", StringComparison.Ordinal);

    /// <summary>How many busy loops run beside it, and beside its limit: the number in <c>busy.N.</c></summary>
    public int BusyLoops => Name.StartsWith("busy.", StringComparison.Ordinal) ? Name["busy.".Length] - '0' : 0;

    /// <summary>Of a plain figure: which of the quantiles of single round trips its value is (p50, p99, p99.9, the maximum), by the end of its name.</summary>
    public int Quantile => Name switch
    {
        _ when Name.EndsWith(".p99", StringComparison.Ordinal) => 1,
        _ when Name.EndsWith(".p999", StringComparison.Ordinal) => 2,
        _ when Name.EndsWith(".max", StringComparison.Ordinal) => 3,
        _ => 0,
    };

    /// <summary>Of a plain figure: the name that it shares with the other quantiles of the same round trips.</summary>
    public string RoundTrips => Quantile == 0 ? Name : Name[..Name.LastIndexOf('.')];

    /// <summary>The name by which its program knows it.</summary>
    public string ProgramName => !IsPlain ? Name : Name.StartsWith("busy.", StringComparison.Ordinal) ? "default" + RoundTrips["busy.N".Length..] : RoundTrips;

    public bool IsRate => Unit is Unit.MillionPerSecond or Unit.GigabytesPerSecond;

    public bool HasTarget => Target is not null || Most is not null || Least is not null;

    public bool Reaches(double value, double ratio) =>
        Most is { } most ? value <= most : Least is { } least ? value >= least : Target is not { } target || (IsRate ? ratio >= target : ratio <= target);
}
