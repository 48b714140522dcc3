namespace Ipc;

/// <summary>Options of one reader of a topic.</summary>
public sealed class TopicReaderOptions
{
    /// <summary>What happens when this reader is too slow. Default: writers wait for it.</summary>
    public TopicPolicy Policy { get; set; }

    /// <summary>The first message that it reads. Default: the next one that is published.</summary>
    public TopicJoin Join { get; set; }

    /// <summary>A writer of the same topic in this process whose messages the reader skips.</summary>
    public TopicWriter? IgnoreWriter { get; set; }
}
