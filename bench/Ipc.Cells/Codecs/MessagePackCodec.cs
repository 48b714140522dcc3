using System;
using System.Buffers;
using MessagePack;

namespace Ipc.Matrix.Cells;

/// <summary>MessagePack-CSharp. It reads no span, so that what came is copied first.</summary>
internal sealed class MessagePackCodec(Shape shape) : ObjectCodec(shape)
{
    private byte[] _copy = new byte[2 * shape.Response + 1024];

    protected override void Write<T>(ArrayBufferWriter<byte> destination, T message) => MessagePackSerializer.Serialize(destination, message);

    protected override T Read<T>(ReadOnlySpan<byte> bytes)
    {
        if (_copy.Length < bytes.Length)
            _copy = new byte[bytes.Length];
        bytes.CopyTo(_copy);
        return MessagePackSerializer.Deserialize<T>(_copy.AsMemory(0, bytes.Length));
    }
}
