using System;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What is within the failure of a call whose request came back from the broker: a call that waits for its
/// servers sends it again.</summary>
internal sealed class ReturnedException(Exception? inner)
    : Exception("The broker has returned the message: there is no such queue.", inner);
