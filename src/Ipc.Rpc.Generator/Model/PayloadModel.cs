namespace Ipc.Rpc.Generator;

/// <summary>A request, a response or an item: which message, and which C# type stands for it.</summary>
/// <param name="Message">The message's name, which its codec is called after; <see langword="null"/> for the empty one.</param>
/// <param name="ProtoType">What the .proto calls it.</param>
/// <param name="Type">The C# type argument of RpcMethod.</param>
/// <param name="Form">What that type is.</param>
/// <param name="Arguments">For <see cref="MessageForm.Arguments"/>: the members of the struct, in parameter order.</param>
internal sealed record PayloadModel(string? Message, string ProtoType, string Type, MessageForm Form, EquatableArray<string> Arguments)
{
    public static readonly PayloadModel Empty = new(null, "google.protobuf.Empty", "global::Ipc.Rpc.RpcEmpty", MessageForm.Declared, default);

    public string Codec => Message is null ? Type + ".Codec" : Message + "Codec.Instance";
}
