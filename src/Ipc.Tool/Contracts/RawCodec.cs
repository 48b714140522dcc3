using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary>Messages that are bytes already.</summary>
internal static class RawCodec
{
    public static MessageCodec<byte[]> Of(MessageType type) => new(
        type.FullName,
        static (ref ProtoWriter writer, in byte[] value) => writer.WriteRaw(value),
        static (ref ProtoReader reader) => reader.ReadToEnd().ToArray());
}
