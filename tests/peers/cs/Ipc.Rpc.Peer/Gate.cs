using System.Threading;

namespace Ipc.Rpc.Peer;

/// <summary>Where handlers are held until a test lets them go.</summary>
public sealed class Gate
{
    private int _entered;
    private int _cancelled;

    public ManualResetEventSlim Opened { get; } = new();

    /// <summary>How many handlers have come here.</summary>
    public int Entered => Volatile.Read(ref _entered);

    /// <summary>How many of their tokens have fired.</summary>
    public int Cancelled => Volatile.Read(ref _cancelled);

    public void Enter() => Interlocked.Increment(ref _entered);

    public void Cancel() => Interlocked.Increment(ref _cancelled);
}
