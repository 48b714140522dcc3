namespace Ipc;

/// <summary>Whether a wait spins or sleeps.</summary>
public enum WaitMode
{
    /// <summary>Spins for about as long as a wake-up takes, then sleeps. With one processor it sleeps at
    /// once.</summary>
    Adaptive = 0,
    /// <summary>Spins and never sleeps: the lowest latency, but uses a whole core.</summary>
    Spin = 1,
    /// <summary>Sleeps without spinning.</summary>
    Block = 2,
}
