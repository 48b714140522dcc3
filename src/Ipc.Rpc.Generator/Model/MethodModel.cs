namespace Ipc.Rpc.Generator;

/// <summary>A method on the wire: one C# method, or a synchronous and an asynchronous one that share it.</summary>
/// <param name="WireName">Its name on the wire and in the .proto.</param>
/// <param name="Field">The name of its RpcMethod in the generated class.</param>
/// <param name="Kind">How many messages travel in each direction.</param>
/// <param name="IsOneWay">Whether no answer is sent.</param>
/// <param name="IsInline">Whether its handler is never moved away from the reading thread.</param>
/// <param name="IsIdempotent">Whether calling it twice comes to the same as once.</param>
/// <param name="IsOnce">Whether a call of it is executed once.</param>
/// <param name="Request">What the caller sends, first.</param>
/// <param name="Input">One item of the caller's stream, if it has one.</param>
/// <param name="Progress">What comes before the answer, if the method reports progress.</param>
/// <param name="Response">What comes back, or one item of it.</param>
/// <param name="Members">The C# methods; the first one is the one that the dispatcher calls.</param>
internal sealed record MethodModel(
    string WireName,
    string Field,
    CallKind Kind,
    bool IsOneWay,
    bool IsInline,
    bool IsIdempotent,
    bool IsOnce,
    PayloadModel Request,
    PayloadModel? Input,
    PayloadModel? Progress,
    PayloadModel Response,
    EquatableArray<MemberModel> Members)
{
    /// <summary>Whether the answer is a stream.</summary>
    public bool IsStream => Kind is CallKind.ServerStream or CallKind.Duplex;
}
