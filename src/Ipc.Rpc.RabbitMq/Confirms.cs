namespace Ipc.Rpc.RabbitMq;

/// <summary>What a channel asks the broker to say of each message.</summary>
internal enum Confirms
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>Whether it has it: the channel's events tell.</summary>
    Heard,

    /// <summary>The same, and publishing ends with it.</summary>
    Awaited,
}
