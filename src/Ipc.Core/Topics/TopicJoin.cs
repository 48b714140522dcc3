namespace Ipc;

/// <summary>The first message that a reader gets.</summary>
public enum TopicJoin
{
    /// <summary>The next message that is published.</summary>
    Newest = 0,
    /// <summary>The oldest message that is still in the topic. Messages that are overwritten before the first read do
    /// not count as lost.</summary>
    Oldest = 1,
    /// <summary>The last message that was published; if there is none, the next one.</summary>
    LastValue = 2,
}
