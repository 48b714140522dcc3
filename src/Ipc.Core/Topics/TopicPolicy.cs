namespace Ipc;

/// <summary>What happens when a reader is too slow. Each reader chooses its policy; the creator of the topic may
/// restrict the choice.</summary>
public enum TopicPolicy
{
    /// <summary>Writers wait for the reader; a write whose deadline passes fails and names the reader. The reader gets
    /// every message, in place.</summary>
    Reliable = 0,
    /// <summary>Writers wait for the reader until their deadline, then cut it off; the reader is told, and may rejoin.
    /// It reads in place. When it is cut off, the message that it holds may be overwritten while it reads;
    /// <see cref="TopicReader.Release"/> then says so. The memory of a message longer than a block may be gone: an
    /// access may end the process (SIGBUS) if the file system is full; see SECURITY.md.</summary>
    Evict = 1,
    /// <summary>Writers never wait for the reader. When it is overrun, it continues further ahead and is told how many
    /// messages it lost. It gets copies.</summary>
    Lossy = 2,
    /// <summary>As <see cref="Lossy"/>, but of the messages that are there when it reads, the reader gets only the
    /// newest of each key.</summary>
    Latest = 3,
}
