namespace Ipc.Native;

/// <summary>How long what has a name stays: <c>ipc_lifetime</c>.</summary>
public enum NativeLifetime
{
    /// <summary>What there is; a new ring or queue stays until it is empty, everything else while it is used.</summary>
    Default = 0,

    /// <summary>It goes with the last participant, and what is in it with it.</summary>
    WhileUsed = 1,

    /// <summary>Rings and queues: until nobody is attached and all that was committed is received.</summary>
    UntilEmpty = 2,

    /// <summary>Until it is removed by name.</summary>
    Persistent = 3,
}
