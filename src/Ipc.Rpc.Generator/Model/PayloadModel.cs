namespace Ipc.Rpc.Generator;

/// <summary>A request, a response or an item: which message, and which C# type stands for it.</summary>
/// <param name="Message">The message's name in the .proto; <see langword="null"/> for the empty one.</param>
/// <param name="Type">The C# type argument of RpcMethod.</param>
/// <param name="Form">What that type is.</param>
/// <param name="Arguments">For <see cref="MessageForm.Arguments"/>: the members of the struct, in parameter order.</param>
internal sealed record PayloadModel(string? Message, string Type, MessageForm Form, EquatableArray<string> Arguments)
{
    public static readonly PayloadModel Empty = new(null, "global::Ipc.Rpc.RpcEmpty", MessageForm.Declared, default);

    public string Codec => Message is null ? Type + ".Codec" : Message + "Codec.Instance";

    public string ProtoType => Message ?? "google.protobuf.Empty";
}
