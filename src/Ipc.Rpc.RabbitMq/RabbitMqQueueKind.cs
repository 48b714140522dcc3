namespace Ipc.Rpc.RabbitMq;

/// <summary>How the broker keeps the queues of a service.</summary>
public enum RabbitMqQueueKind
{
    /// <summary>On a majority of the nodes of a cluster, always on disk. It survives the loss of a minority, and counts
    /// deliveries.</summary>
    Quorum = 0,

    /// <summary>On one node. It survives a restart of the broker; requests that expect an answer do not. It does not
    /// count deliveries.</summary>
    Classic = 1,
}
