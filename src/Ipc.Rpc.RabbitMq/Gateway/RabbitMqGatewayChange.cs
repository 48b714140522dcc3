namespace Ipc.Rpc.RabbitMq;

/// <summary>One change of what a gateway does for a service or a topic; see <see cref="RabbitMqExportOptions.Changed"/>
/// and <see cref="RabbitMqImportOptions.Changed"/>.</summary>
/// <param name="IsServing">Whether both sides are there now, and what comes on one goes to the other.</param>
/// <param name="Reason">Why not; <see langword="null"/> when it is. It has no password.</param>
public sealed record RabbitMqGatewayChange(bool IsServing, string? Reason);
