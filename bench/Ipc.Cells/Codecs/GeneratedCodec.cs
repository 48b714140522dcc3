using System;
using System.Buffers;
using Ipc.Rpc;

namespace Ipc.Matrix.Cells;

/// <summary>The codec that the generator writes for a contract: protobuf's bytes.</summary>
internal sealed class GeneratedCodec(Shape shape) : ObjectCodec(shape)
{
    private readonly int _longest = 2 * shape.Response + 1024;

    protected override void Write<T>(ArrayBufferWriter<byte> destination, T message) =>
        destination.Advance(CodecOf<T>().Encode(message, destination.GetSpan(_longest)));

    protected override T Read<T>(ReadOnlySpan<byte> bytes) => CodecOf<T>().Decode(bytes);

    private static MessageCodec<T> CodecOf<T>() => Of<T>.Codec;

    private static class Of<T>
    {
        public static readonly MessageCodec<T> Codec =
            (MessageCodec<T>)(object)(typeof(T) == typeof(Query) ? CellsRpc.Ask.Request : CellsRpc.Ask.Response);
    }
}
