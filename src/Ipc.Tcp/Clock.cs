using System.Diagnostics;

namespace Ipc.Tcp;

/// <summary>Milliseconds since some moment, whatever is done to the clock on the wall.</summary>
internal static class Clock
{
    public static long Now => Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1000);
}
