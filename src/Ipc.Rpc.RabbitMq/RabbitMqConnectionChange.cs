namespace Ipc.Rpc.RabbitMq;

/// <summary>One change of a connection to a broker; see <see cref="RabbitMqOptions.ConnectionChanged"/>.</summary>
/// <param name="IsConnected">Whether there is one now.</param>
/// <param name="Reason">Why there is none; <see langword="null"/> when there is one. It has no password.</param>
public sealed record RabbitMqConnectionChange(bool IsConnected, string? Reason);
