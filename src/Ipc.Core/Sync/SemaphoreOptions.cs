namespace Ipc;

/// <summary>How to open a semaphore.</summary>
public sealed class SemaphoreOptions : SyncOptions
{
    /// <summary>The number of permits, 1 to 4096. Only takes effect when the semaphore is created. Default:
    /// 1.</summary>
    public int Permits { get; set; } = 1;
}
