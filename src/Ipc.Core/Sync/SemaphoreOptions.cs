namespace Ipc;

/// <summary>How to open a semaphore.</summary>
public sealed class SemaphoreOptions : SyncOptions
{
    /// <summary>How many may be in at one time, 1 to 4096. Used only by whoever creates it. Default: 1.</summary>
    public int Permits { get; set; } = 1;
}
