using System;

namespace Ipc;

/// <summary>How to open a mutex; and what a semaphore and an event have in common with it.</summary>
public class SyncOptions
{
    /// <summary>Create, attach, or either. Default: either.</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait for a creator. Default: not at all.
    /// <c>Timeout.InfiniteTimeSpan</c>: for ever.</summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>How this object waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping. Default (zero): as measured, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>How long the object stays. One that exists must be as asked (<see cref="IpcStatus.WrongLifetime"/>).
    /// Default: no wish; a new one goes with its last participant.</summary>
    public Lifetime Lifetime { get; set; }
}
