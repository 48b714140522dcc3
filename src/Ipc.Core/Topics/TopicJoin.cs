namespace Ipc;

/// <summary>Where a reader begins.</summary>
public enum TopicJoin
{
    /// <summary>With the next message that is published.</summary>
    Newest = 0,
    /// <summary>With the oldest message that is still there. What is gone before it is read counts as never seen, not
    /// as lost.</summary>
    Oldest = 1,
    /// <summary>With the newest message that is there; with the next one if there is none.</summary>
    LastValue = 2,
}
