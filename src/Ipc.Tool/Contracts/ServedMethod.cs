using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary>What a server says about one of its methods.</summary>
internal sealed record ServedMethod(string Name, RpcMethodKind Kind, bool OneWay, bool Once, bool Idempotent);
