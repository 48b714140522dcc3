using System;

namespace Ipc.Matrix.Cells;

/// <summary>Writes and checks the messages of a shape in the bytes of one serializer.</summary>
/// <remarks>What it writes is valid until it writes again: the transport copies it. A reader gets the bytes where the transport has them.</remarks>
internal abstract class Codec
{
    /// <exception cref="FormatException">There is no such serializer.</exception>
    public static Codec Create(string serializer, Shape shape) => serializer switch
    {
        "none" => new RawCodec(shape),
        "generated" => new GeneratedCodec(shape),
        "google" => new GoogleCodec(shape),
        "protobuf-net" => new ProtobufNetCodec(shape),
        "messagepack" => new MessagePackCodec(shape),
        "memorypack" => new MemoryPackCodec(shape),
        "json" => new JsonCodec(shape),
        _ => throw new FormatException($"There is no serializer '{serializer}'."),
    };

    public abstract ReadOnlySpan<byte> Request(long number);

    /// <exception cref="System.IO.InvalidDataException">It is not that request.</exception>
    public abstract void CheckRequest(ReadOnlySpan<byte> bytes, long number);

    public abstract ReadOnlySpan<byte> Response(long number, long stamp);

    /// <returns>Its stamp.</returns>
    /// <exception cref="System.IO.InvalidDataException">It is not that response.</exception>
    public abstract long CheckResponse(ReadOnlySpan<byte> bytes, long number);
}
