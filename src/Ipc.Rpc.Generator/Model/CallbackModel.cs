namespace Ipc.Rpc.Generator;

/// <summary>The contract of the calls that a server makes to its client.</summary>
/// <param name="Interface">The interface, fully qualified.</param>
/// <param name="GeneratedClass">The class that is generated for it, fully qualified.</param>
/// <param name="ServiceName">Its name on the wire.</param>
internal sealed record CallbackModel(string Interface, string GeneratedClass, string ServiceName);
