using System;
using System.Buffers;
using System.Text.Json;

namespace Ipc.Rpc.Tests;

/// <summary>A format of somebody's own, which fails where a test wants it to.</summary>
internal sealed class JsonIpcSerializer(string name = "json") : IpcSerializer(NamedFormat, name)
{
    /// <summary>Values that it throws for when they are to be written.</summary>
    public Predicate<object?> Unwritable { get; init; } = static _ => false;

    /// <summary>Values that it throws for when they have been read.</summary>
    public Predicate<object?> Unreadable { get; init; } = static _ => false;

    protected override void Write<T>(IBufferWriter<byte> destination, in T message)
    {
        using var writer = new Utf8JsonWriter(destination);
        JsonSerializer.Serialize(writer, message);
        writer.Flush();
        if (Unwritable(message))
            throw new NotSupportedException("unwritable"); // after some bytes, as real ones do
    }

    protected override T Read<T>(ReadOnlyMemory<byte> payload)
    {
        T message = JsonSerializer.Deserialize<T>(payload.Span)!;
        return Unreadable(message) ? throw new NotSupportedException("unreadable") : message;
    }
}
