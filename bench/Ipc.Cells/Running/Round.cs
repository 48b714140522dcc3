using System.Diagnostics;
using HdrHistogram;

namespace Ipc.Matrix.Cells;

/// <summary>The times of one round's messages.</summary>
/// <remarks>A histogram takes a few nanoseconds for each, in the measuring process, beside the operation that it times.</remarks>
internal sealed class Round
{
    private const long Longest = 60_000_000_000;
    private const int Digits = 3;

    private long _began;

    public LongHistogram Times { get; } = new(Longest, Digits);

    /// <summary>Seconds of the counted messages.</summary>
    public double Seconds { get; private set; }

    public long Messages => Times.TotalCount;

    /// <summary>Starts the clock: what was not to be counted is over.</summary>
    public void Begin() => _began = Stopwatch.GetTimestamp();

    public void End() => Seconds = Stopwatch.GetElapsedTime(_began).TotalSeconds;

    /// <summary>Notes that a message took from <paramref name="since"/> until now.</summary>
    public void Note(long since) => Times.RecordValue(System.Math.Max(1, Stopwatch.GetTimestamp() - since)); // ticks are ns on this system
}
