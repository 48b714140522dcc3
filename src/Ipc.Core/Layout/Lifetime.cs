namespace Ipc;

/// <summary>How long the storage of a name stays. Written by whoever creates it; everybody else finds it as it is. The
/// numbers are those of <c>ipc_lifetime</c> in ipc.h and of docs/wire-format.md section 2.</summary>
public enum Lifetime
{
    /// <summary>An existing one is opened whatever its lifetime. A new ring or queue gets <see cref="UntilEmpty"/>,
    /// anything else <see cref="WhileUsed"/>.</summary>
    Default = 0,
    /// <summary>It is removed with its contents when the last participant leaves.</summary>
    WhileUsed = 1,
    /// <summary>For rings and queues: it is removed when it has no participants and no messages. Committed messages
    /// wait for a receiver, even while no process uses it.</summary>
    UntilEmpty = 2,
    /// <summary>It stays until it is removed by name.</summary>
    Persistent = 3,
}
