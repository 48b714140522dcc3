using System;

namespace Ipc.Rpc;

/// <summary>A message with details about a failure: a <c>google.protobuf.Any</c>.</summary>
/// <remarks>A receiver that does not know the type keeps its bytes.</remarks>
public sealed class RpcDetail
{
    private const string Host = "type.googleapis.com/";

    /// <summary>Creates a detail from a type URL and the bytes of a message.</summary>
    public RpcDetail(string typeUrl, ReadOnlyMemory<byte> bytes)
    {
        TypeUrl = typeUrl ?? throw new ArgumentNullException(nameof(typeUrl));
        Bytes = bytes;
    }

    /// <summary>Ends in <c>/</c> and the message's full name.</summary>
    public string TypeUrl { get; }

    /// <summary>The message, as protobuf.</summary>
    public ReadOnlyMemory<byte> Bytes { get; }

    /// <summary>The message's full name: what follows the last <c>/</c>.</summary>
    public string TypeName => TypeUrl.Substring(TypeUrl.LastIndexOf('/') + 1);

    /// <summary>Encodes a message.</summary>
    /// <exception cref="ProtoException">The message is not expressible.</exception>
    public static RpcDetail Of<T>(MessageCodec<T> codec, in T value)
    {
        if (codec is null)
            throw new ArgumentNullException(nameof(codec));

        var target = new GrowingBuffer(128);
        var writer = new ProtoWriter(target.Bytes, target);
        codec.Write(ref writer, in value);
        return new RpcDetail(Host + codec.FullName, target.Bytes.AsMemory(0, writer.Written));
    }

    /// <summary>Decodes the message if it is of the codec's type.</summary>
    /// <returns>Whether it is.</returns>
    /// <exception cref="ProtoException">It says so, and the bytes are not such a message.</exception>
    public bool TryRead<T>(MessageCodec<T> codec, out T value)
    {
        if (codec is null)
            throw new ArgumentNullException(nameof(codec));

        bool same = TypeName == codec.FullName;
        value = same ? codec.Decode(Bytes.Span) : default!;
        return same;
    }
}
