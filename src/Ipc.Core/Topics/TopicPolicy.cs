namespace Ipc;

/// <summary>What happens to a reader that does not keep up. Each reader chooses its own; the topic's creator says which
/// are allowed.</summary>
public enum TopicPolicy
{
    /// <summary>Writers wait for it; a write whose deadline passes fails, and names it. It gets every message, in
    /// place.</summary>
    Reliable = 0,
    /// <summary>Writers wait for it until a deadline; then it is cut off, learns it, and may join again. It reads in
    /// place: what it holds when it is cut off may be overwritten while it reads, which
    /// <see cref="TopicReader.Release"/> tells; and of a message longer than a block the memory may be gone: an access
    /// then, with a full file system, ends the process (SIGBUS; SECURITY.md).</summary>
    Evict = 1,
    /// <summary>Writers never wait for it; overrun, it goes on further ahead and learns how many messages it has lost.
    /// It gets copies.</summary>
    Lossy = 2,
    /// <summary>As lossy; and of the messages present it gets only the newest of each key.</summary>
    Latest = 3,
}
