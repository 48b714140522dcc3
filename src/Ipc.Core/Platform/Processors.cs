namespace Ipc;

/// <summary>What waits that are built on this library should know of the processors.</summary>
public static class Processors
{
    /// <summary>The machine has a single processor: nothing can happen while a thread spins, so waits sleep at
    /// once.</summary>
    /// <remarks>The machine counts, not where this process may run: a peer may be pinned to, or be in a container of,
    /// other processors. So <see cref="System.Environment.ProcessorCount"/> is the wrong question.</remarks>
    public static bool IsSpinningUseless { get; } = Os.Current.HasOneProcessor;
}
