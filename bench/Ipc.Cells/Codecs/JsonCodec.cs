using System;
using System.Buffers;
using System.Text.Json;

namespace Ipc.Matrix.Cells;

/// <summary>System.Text.Json, with its writer used again.</summary>
internal sealed class JsonCodec(Shape shape) : ObjectCodec(shape)
{
    private Utf8JsonWriter? _writer;

    protected override void Write<T>(ArrayBufferWriter<byte> destination, T message)
    {
        _writer ??= new Utf8JsonWriter(destination);
        _writer.Reset(destination);
        JsonSerializer.Serialize(_writer, message);
        _writer.Flush();
    }

    protected override T Read<T>(ReadOnlySpan<byte> bytes) => JsonSerializer.Deserialize<T>(bytes)!;
}
