using System;
using System.Buffers;
using ProtoBuf;

namespace Ipc.Matrix.Cells;

/// <summary>protobuf-net, with the model that it makes of the classes.</summary>
internal sealed class ProtobufNetCodec(Shape shape) : ObjectCodec(shape)
{
    protected override void Write<T>(ArrayBufferWriter<byte> destination, T message) => Serializer.Serialize(destination, message);

    protected override T Read<T>(ReadOnlySpan<byte> bytes) => Serializer.Deserialize<T>(bytes);
}
