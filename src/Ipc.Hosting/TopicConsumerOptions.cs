namespace Ipc.Hosting;

/// <summary>A worker that reads a topic.</summary>
public sealed class TopicConsumerOptions : IpcWorkerOptions
{
    /// <summary>One attempt: the next message is worth more than the last one.</summary>
    public TopicConsumerOptions()
        : base(maxAttempts: 1)
    {
    }

    /// <summary>How the topic is opened.</summary>
    public TopicOptions Topic { get; set; } = new();

    /// <summary>How it is read: from where, and what happens to a reader that is slow.</summary>
    public TopicReaderOptions Reader { get; set; } = new();
}
