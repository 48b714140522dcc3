namespace Ipc.Hosting;

/// <summary>What a worker of a host is doing.</summary>
public enum IpcWorkerState
{
    /// <summary>Its host has not started, or it could not start.</summary>
    NotStarted = 0,

    /// <summary>It takes messages.</summary>
    Working = 1,

    /// <summary>It takes no further messages, and waits for those in hand.</summary>
    Stopping = 2,

    /// <summary>It has stopped with its host.</summary>
    Stopped = 3,

    /// <summary>Its queue or topic cannot be used any more.</summary>
    Failed = 4,
}
