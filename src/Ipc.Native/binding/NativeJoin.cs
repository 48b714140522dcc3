namespace Ipc.Native;

/// <summary>Where a topic's reader begins.</summary>
public enum NativeJoin
{
    /// <summary>With what is published from now on.</summary>
    Newest = 0,

    /// <summary>With the oldest message that is still there.</summary>
    Oldest = 1,

    /// <summary>With the last message before now.</summary>
    Last = 2,
}
