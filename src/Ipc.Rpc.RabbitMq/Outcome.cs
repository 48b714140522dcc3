namespace Ipc.Rpc.RabbitMq;

/// <summary>What a request has come to.</summary>
/// <param name="Body">The answer; empty if it failed.</param>
/// <param name="Metadata">What goes with it; <see langword="null"/> for nothing.</param>
/// <param name="Failure">Why it failed; <see langword="null"/> if it did not.</param>
internal sealed record Outcome(byte[] Body, RpcMetadata? Metadata, RpcCallException? Failure);
