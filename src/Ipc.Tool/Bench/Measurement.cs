namespace Ipc.Tool;

/// <summary>One figure of bench.</summary>
/// <param name="Name">What was measured.</param>
/// <param name="Nanoseconds">The median round trip, or the time per message.</param>
/// <param name="PerSecond">Round trips or messages.</param>
/// <param name="IsRoundTrip">There and back; else one way.</param>
/// <param name="Problem">Why there is no figure; null when there is.</param>
internal sealed record Measurement(string Name, double Nanoseconds, double PerSecond, bool IsRoundTrip, string? Problem = null)
{
    /// <summary>Of the machine's own limit, the ping-pong between two processors: how many of them it takes. Null: not measured, or the limit itself.</summary>
    public double? Limits { get; init; }

    public static Measurement RoundTrip(string name, double nanoseconds) => new(name, nanoseconds, 1e9 / nanoseconds, true);

    public static Measurement OneWay(string name, double nanoseconds) => new(name, nanoseconds, 1e9 / nanoseconds, false);

    public static Measurement None(string name, string problem) => new(name, 0, 0, false, problem);
}
