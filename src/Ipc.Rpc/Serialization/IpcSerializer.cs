using System;
using System.Buffers;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

// A serializer that is not the generated codec knows types, writes to an IBufferWriter and reads from memory. What
// stands between it and the ring is a buffer of the thread: the message is written there and then copied in one piece,
// and copied out before it is read. The copy is not only for want of a common interface: such a library was never meant
// for bytes that a stranger can change while it reads them, so it never sees shared memory.
//
// Whatever it throws becomes a ProtoException, the one exception that codecs throw, so it ends its own call and nothing
// else.

/// <summary>A format for messages other than the generated protobuf codecs. A client chooses one; a server offers
/// some.</summary>
/// <remarks>Many threads use an instance at once. Use one instance for all clients and servers of a process, because
/// each instance keeps its codecs.</remarks>
public abstract class IpcSerializer
{
    /// <summary>The number of protobuf: the same bytes as the generated codecs.</summary>
    public const int ProtobufFormat = 0;

    /// <summary>The number of MessagePack.</summary>
    public const int MessagePackFormat = 1;

    /// <summary>The number of all formats that have a name and no number of their own.</summary>
    public const int NamedFormat = 2;

    // weak: neither keeps the other's code loaded
    private readonly ConditionalWeakTable<object, object> _codecs = new();

    /// <summary>Sets how requests identify the format.</summary>
    /// <param name="format">One of <see cref="ProtobufFormat"/>, <see cref="MessagePackFormat"/>,
    /// <see cref="NamedFormat"/>.</param>
    /// <param name="name">Identifies a <see cref="NamedFormat"/> on the wire; for the others it is used in error
    /// messages only.</param>
    protected IpcSerializer(int format, string name)
    {
        if (format is < ProtobufFormat or > NamedFormat)
            throw new ArgumentOutOfRangeException(
                nameof(format), format, "A format is 0 (protobuf), 1 (MessagePack) or 2 (another, by its name).");
        if (string.IsNullOrEmpty(name))
            throw new ArgumentException("A serializer needs a name.", nameof(name));

        Format = format;
        Name = name;
    }

    /// <summary>The number that requests carry.</summary>
    public int Format { get; }

    /// <summary>The name of the format; with <see cref="NamedFormat"/> both sides must use the same name for the same
    /// format.</summary>
    public string Name { get; }

    /// <summary>The codec that does in this format what <paramref name="generated"/> does in protobuf.</summary>
    public MessageCodec<T> CodecFor<T>(MessageCodec<T> generated)
    {
        if (generated is null)
            throw new ArgumentNullException(nameof(generated));

        // Written by their fields, parameters have the same protobuf whoever writes them; and the generated codec is
        // the quickest.
        if (generated.IsProtobufAlways || (Format == ProtobufFormat && generated.Fields is not null))
            return generated;
        if (!_codecs.TryGetValue(generated, out object? codec))
            codec = _codecs.GetValue(
                generated, key => Make(((MessageCodec<T>)key).Name, ((MessageCodec<T>)key).Fields));
        return (MessageCodec<T>)codec;
    }

    /// <summary>A codec for a type that the generator cannot take, for an <see cref="RpcMethod{TRequest, TResponse}"/>
    /// made by hand.</summary>
    /// <param name="name">The message's name, for errors.</param>
    public MessageCodec<T> Codec<T>(string name) => Make<T>(name, null);

    /// <summary>Writes a message.</summary>
    protected abstract void Write<T>(IBufferWriter<byte> destination, in T message);

    /// <summary>Reads the message that is all of <paramref name="payload"/>.</summary>
    /// <param name="payload">The memory is reused as soon as this returns: copy what the message keeps.</param>
    protected abstract T Read<T>(ReadOnlyMemory<byte> payload);

    /// <summary>Writes a message that has no type of its own, field by field. Unless overridden, it writes the length
    /// of each field (4 bytes), then the field as <see cref="Write"/> does.</summary>
    protected virtual void WriteFields<T>(IBufferWriter<byte> destination, MessageFields<T> fields, in T message)
        => fields.Write(new PrefixedFieldWriter(this, destination), in message);

    /// <summary>Reads what <see cref="WriteFields"/> wrote. Missing fields at the end are read as
    /// <see langword="default"/>; additional ones are ignored.</summary>
    protected virtual T ReadFields<T>(ReadOnlyMemory<byte> payload, MessageFields<T> fields)
        => fields.Read(new PrefixedFieldReader(this, payload));

    internal void WriteOne<T>(IBufferWriter<byte> destination, in T message) => Write(destination, in message);

    internal T ReadOne<T>(ReadOnlyMemory<byte> payload) => Read<T>(payload);

    private MessageCodec<T> Make<T>(string name, MessageFields<T>? fields) => new(
        name,
        (ref ProtoWriter writer, in T value) =>
        {
            SerializerBuffer buffer = SerializerBuffer.Rent();
            try
            {
                Serialize(buffer, name, fields, in value);
                writer.WriteRaw(buffer.Written.Span);
            }
            finally
            {
                buffer.GiveBack();
            }
        },
        (ref ProtoReader reader) =>
        {
            SerializerBuffer buffer = SerializerBuffer.Rent();
            try
            {
                buffer.Append(reader.ReadToEnd());
                return Deserialize(buffer, name, fields);
            }
            finally
            {
                buffer.GiveBack();
            }
        },
        fields: fields);

    private void Serialize<T>(SerializerBuffer buffer, string name, MessageFields<T>? fields, in T value)
    {
        try
        {
            if (fields is null)
                Write(buffer, in value);
            else
                WriteFields(buffer, fields, in value);
        }
#pragma warning disable CA1031 // whatever the serializer throws is the failure of the call that it was used for
        catch (Exception e)
#pragma warning restore CA1031
        {
            throw new ProtoException(
                ProtoError.SerializerFailed,
                buffer.Written.Length,
                Name + " could not write " + name + ": " + ErrorText.Of(e),
                e);
        }
    }

    private T Deserialize<T>(SerializerBuffer buffer, string name, MessageFields<T>? fields)
    {
        try
        {
            return fields is null ? Read<T>(buffer.Written) : ReadFields(buffer.Written, fields);
        }
#pragma warning disable CA1031 // whatever the serializer throws is the failure of the call that it was used for
        catch (Exception e)
#pragma warning restore CA1031
        {
            throw new ProtoException(
                ProtoError.SerializerFailed, 0, Name + " could not read " + name + ": " + ErrorText.Of(e), e);
        }
    }
}
