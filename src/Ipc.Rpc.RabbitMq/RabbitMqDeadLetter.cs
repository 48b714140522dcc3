namespace Ipc.Rpc.RabbitMq;

/// <summary>A message that a server has put into the dead-letter queue of its service.</summary>
/// <param name="MessageId">Its id; empty if it has none.</param>
/// <param name="Method"><c>service/method</c>; empty if it names none.</param>
/// <param name="Reason">Why, as in its header <c>ipc-reason</c>.</param>
public sealed record RabbitMqDeadLetter(string MessageId, string Method, string Reason);
