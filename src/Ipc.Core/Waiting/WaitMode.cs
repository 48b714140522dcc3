namespace Ipc;

/// <summary>How a wait spends its time.</summary>
public enum WaitMode
{
    /// <summary>Spins as long as a wake would cost, then sleeps. With one processor it sleeps at once.</summary>
    Adaptive = 0,
    /// <summary>Never sleeps: the lowest latency, a whole core.</summary>
    Spin = 1,
    /// <summary>Sleeps at once.</summary>
    Block = 2,
}
