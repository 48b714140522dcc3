namespace Ipc.Tool;

/// <summary>The memory of long messages.</summary>
internal sealed record PoolReport
{
    /// <summary>Bytes that may be present at one time.</summary>
    public required ulong Budget { get; init; }

    public required uint Classes { get; init; }

    public required uint Blocks { get; init; }

    public required uint Owned { get; init; }

    public required uint Published { get; init; }

    /// <summary>Bytes with memory behind them.</summary>
    public required ulong Present { get; init; }

    /// <summary>How often no block was to be had.</summary>
    public required ulong Exhausted { get; init; }
}
