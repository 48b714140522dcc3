using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>A request, encoded: the same for all attempts of its call.</summary>
/// <param name="Method">What is called.</param>
/// <param name="MessageId">Of the call.</param>
/// <param name="Headers">Without the attempt.</param>
/// <param name="Body">The message.</param>
internal sealed record Outgoing(
    RpcMethod Method, string MessageId, IReadOnlyDictionary<string, object?> Headers, byte[] Body);
