using System;

namespace Ipc;

/// <summary>How to open a mutex; and what a semaphore and an event have in common with it.</summary>
public class SyncOptions
{
    /// <summary>Create, attach, or either. Default: either.</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait for a creator. Default: not at all. Negative: for ever.</summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>How this object waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>It stays when the last process has closed it. Used only by whoever creates it.</summary>
    public bool Persistent { get; set; }
}
