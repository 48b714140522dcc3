using System;
using System.Buffers;
using MemoryPack;

namespace Ipc.Matrix.Cells;

/// <summary>MemoryPack: the bytes are much what .NET has in memory.</summary>
internal sealed class MemoryPackCodec(Shape shape) : ObjectCodec(shape)
{
    protected override void Write<T>(ArrayBufferWriter<byte> destination, T message) => MemoryPackSerializer.Serialize(destination, message);

    protected override T Read<T>(ReadOnlySpan<byte> bytes) => MemoryPackSerializer.Deserialize<T>(bytes)!;
}
