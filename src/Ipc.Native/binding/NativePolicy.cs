namespace Ipc.Native;

/// <summary>What happens to a topic's reader that is too slow.</summary>
public enum NativePolicy
{
    /// <summary>Writers wait for it up to their deadlines and then fail.</summary>
    Reliable = 0,

    /// <summary>Writers wait up to their deadlines and then cut it off.</summary>
    Evict = 1,

    /// <summary>Writers never wait; it is told how many messages it has missed.</summary>
    Lossy = 2,

    /// <summary>Lossy, and only the newest message of each key is delivered.</summary>
    Latest = 3,
}
