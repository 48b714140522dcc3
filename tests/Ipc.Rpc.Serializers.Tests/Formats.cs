using Xunit;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>The three ways to write one contract.</summary>
internal static class Formats
{
    public const string Generated = "generated";
    public const string MessagePack = "MessagePack";
    public const string ProtobufNet = "protobuf-net";

    public static TheoryData<string> All => new(Generated, MessagePack, ProtobufNet);

    /// <summary>For the pairs in which the two sides need not have the same one.</summary>
    public static IpcSerializer? Serializer(string name) => name switch
    {
        MessagePack => new MessagePackIpcSerializer(),
        ProtobufNet => new ProtobufNetIpcSerializer(),
        _ => null,
    };
}
