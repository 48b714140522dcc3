namespace Ipc.Rpc;

/// <summary>Numbers of google.protobuf.Timestamp and google.protobuf.Duration; both have the fields seconds = 1 and
/// nanos = 2.</summary>
internal static class WellKnown
{
    public const uint SecondsTag = 1 << 3;
    public const uint NanosTag = 2 << 3;
    public const uint OffsetTag = 3 << 3; // of a DateTimeOffset
    public const int MaxOffsetMinutes = 14 * 60;
    public const int NanosPerTick = 100;
    public const int MaxNanos = 999_999_999;

    /// <summary>Seconds from 0001-01-01, where ticks begin, to 1970-01-01, where timestamps begin.</summary>
    public const long UnixEpochSeconds = 62_135_596_800;
}
