namespace Ipc;

/// <summary>How long the storage of a name stays. Written by whoever creates it; everybody else finds it as it is. The
/// numbers are those of <c>ipc_lifetime</c> in ipc.h and of docs/wire-format.md section 2.</summary>
public enum Lifetime
{
    /// <summary>No wish: what is there is taken as it is, and what is created gets the lifetime of its kind:
    /// <see cref="UntilEmpty"/> a ring or a queue, <see cref="WhileUsed"/> everything else.</summary>
    Default = 0,
    /// <summary>It goes with the last participant, and what is in it with it.</summary>
    WhileUsed = 1,
    /// <summary>Rings and queues: it goes when nobody is attached and nothing is left to be received. What was
    /// committed waits for a receiver, also while nobody is alive.</summary>
    UntilEmpty = 2,
    /// <summary>It stays until it is removed by name.</summary>
    Persistent = 3,
}
