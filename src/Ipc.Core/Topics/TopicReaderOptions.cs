namespace Ipc;

/// <summary>What a reader of a topic asks for itself.</summary>
public sealed class TopicReaderOptions
{
    /// <summary>What happens when it does not keep up. Default: writers wait.</summary>
    public TopicPolicy Policy { get; set; }

    /// <summary>Where it begins. Default: with the next message.</summary>
    public TopicJoin Join { get; set; }

    /// <summary>A writer of the same topic in this process whose messages are passed over: one's own.</summary>
    public TopicWriter? IgnoreWriter { get; set; }
}
