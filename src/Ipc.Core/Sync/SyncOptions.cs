using System;

namespace Ipc;

/// <summary>How to open a mutex; also the common options of semaphores and events.</summary>
public class SyncOptions
{
    /// <summary>Whether to open an existing one, to create one, or either (the default).</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait until somebody creates it. Default: not at
    /// all. <c>Timeout.InfiniteTimeSpan</c>: without limit.</summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>How this object waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest time to spin before sleeping. Default (zero): 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>How long the object exists. An existing one must have this lifetime
    /// (<see cref="IpcStatus.WrongLifetime"/>). Default: any; a new one is removed with its last participant.</summary>
    public Lifetime Lifetime { get; set; }

    /// <summary>With whom it is shared, for a name of the machine (<c>machine/NAME</c>). Default: programs of this
    /// user.</summary>
    public Access Access { get; set; } = Access.User;
}
