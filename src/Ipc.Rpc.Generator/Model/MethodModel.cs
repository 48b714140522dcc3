namespace Ipc.Rpc.Generator;

/// <summary>A method on the wire: one C# method, or a synchronous and an asynchronous one that share it.</summary>
/// <param name="WireName">Its name on the wire and in the .proto.</param>
/// <param name="Field">The name of its RpcMethod in the generated class.</param>
/// <param name="IsStream">Whether the result is a stream of items.</param>
/// <param name="Request">What the caller sends.</param>
/// <param name="Response">What comes back, or one item of it.</param>
/// <param name="Members">The C# methods; the first one is the one that the dispatcher calls.</param>
internal sealed record MethodModel(string WireName, string Field, bool IsStream, PayloadModel Request, PayloadModel Response, EquatableArray<MemberModel> Members);
