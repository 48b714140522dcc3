namespace Ipc.Rpc.RabbitMq;

/// <summary>What a handler finds in <see cref="RpcContext.RequestMetadata"/> when its call came over a broker. A caller
/// cannot send these keys: its own are left out.</summary>
public static class RabbitMqMarks
{
    /// <summary>There, with the value <c>1</c>, when the request may have been handled before: the broker delivers it
    /// again, or its caller has made the call again. If it is not there, this is the first time.</summary>
    public const string Redelivered = "ipc-redelivered";

    /// <summary>The id of the call: the same when it comes again. A handler whose effect must happen once keeps the ids
    /// that it has dealt with.</summary>
    public const string MessageId = "ipc-message-id";
}
