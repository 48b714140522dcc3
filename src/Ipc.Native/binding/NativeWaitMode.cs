namespace Ipc.Native;

/// <summary>How a call waits.</summary>
public enum NativeWaitMode
{
    /// <summary>Spins as long as a wake would cost, then sleeps.</summary>
    Adaptive = 0,

    /// <summary>Never sleeps.</summary>
    Spin = 1,

    /// <summary>Sleeps at once.</summary>
    Block = 2,
}
