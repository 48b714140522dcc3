namespace Ipc.Rpc;

/// <summary>Why bytes are not a message, or a value is not expressible as one.</summary>
public enum ProtoError
{
    /// <summary>The payload, or a part of it with a length of its own, ends inside a value.</summary>
    Truncated,

    /// <summary>A varint has more than ten bytes, or a tag more than five.</summary>
    VarintTooLong,

    /// <summary>A field number is 0, or a group ends that has not begun.</summary>
    InvalidTag,

    /// <summary>A wire type is 6 or 7.</summary>
    InvalidWireType,

    /// <summary>A string is not UTF-8; or, when writing, holds half a surrogate pair.</summary>
    InvalidText,

    /// <summary>Messages are nested more than 100 deep; when writing, probably a cycle. Or messages in pieces within
    /// messages in pieces cost too much to join.</summary>
    TooDeep,

    /// <summary>The bytes are well-formed, but the .NET type cannot hold their value: a Guid, decimal, DateTime or
    /// TimeSpan. When writing: a DateTime of kind Local.</summary>
    InvalidValue,

    /// <summary>An element of a list or a value of a map is null; protobuf has no such thing.</summary>
    NullElement,

    /// <summary>The message is larger than the destination, and there is nowhere to get more room.</summary>
    DestinationTooSmall,

    /// <summary>An <see cref="IpcSerializer"/> threw; the inner exception is what it threw.</summary>
    SerializerFailed,
}
