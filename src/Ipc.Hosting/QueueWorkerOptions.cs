namespace Ipc.Hosting;

/// <summary>A worker that takes messages out of a queue.</summary>
public sealed class QueueWorkerOptions : IpcWorkerOptions
{
    /// <summary>Five attempts, one message at a time.</summary>
    public QueueWorkerOptions()
        : base(maxAttempts: 5)
    {
    }

    /// <summary>How the queue is opened.</summary>
    public QueueOptions Queue { get; set; } = new();

    /// <summary>How many messages are handled at once; 1 unless set, which keeps their order. A message that waits for its next attempt is one of them.</summary>
    public int Concurrency { get; set; } = 1;

    /// <summary>The queue that messages are sent to that were given up, or cannot be read; unless set they are dropped. When it is full or cannot be used, the message is kept, and tried again.</summary>
    public string? PoisonQueue { get; set; }
}
