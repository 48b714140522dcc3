using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using MessagePack;
using MessagePack.Resolvers;

namespace Ipc.Rpc;

// A message is an array by [DataMember(Order = n)], or [Key(n)], as MessagePack-CSharp writes the type; place 0 is nil when the
// numbers begin with 1. The parameters of a method are an array of the same form, written here value by value: their generated
// struct is not seen by MessagePack-CSharp, which would have to reflect over it.

/// <summary>Messages as MessagePack, by MessagePack-CSharp. For contracts whose types it knows: with [DataContract] and Order, or [MessagePackObject].</summary>
/// <example><code>
/// var messagePack = new MessagePackIpcSerializer();
/// var offered = new RpcServerOptions { Serializers = { messagePack } };
/// var chosen = new RpcClientOptions { Serializer = messagePack };
/// </code></example>
public sealed class MessagePackIpcSerializer : IpcSerializer
{
    private readonly MessagePackSerializerOptions _options;

    /// <summary>Finds out at run time how types are written, internal ones too, and distrusts the bytes that it reads.</summary>
#if NET
    [RequiresDynamicCode("MessagePack-CSharp writes formatters at run time: give options whose resolver has compiled ones.")]
    [RequiresUnreferencedCode("MessagePack-CSharp looks at the members of types at run time: give options whose resolver has compiled formatters.")]
#endif
    public MessagePackIpcSerializer()
        : this(MessagePackSerializerOptions.Standard
            .WithResolver(StandardResolverAllowPrivate.Instance)
            .WithSecurity(MessagePackSecurity.UntrustedData))
    {
    }

    /// <summary>Uses <paramref name="options"/>: their resolver knows how types are written, their security how far bytes are trusted.</summary>
    /// <remarks>With a resolver that has compiled formatters alone (MessagePack-CSharp's generator or <c>mpc</c> write them) a program may be trimmed or compiled
    /// ahead of time. It needs one for the type of each parameter and bare result, too.</remarks>
    /// <exception cref="ArgumentException">They compress: that would be another format than the one that requests name.</exception>
    public MessagePackIpcSerializer(MessagePackSerializerOptions options)
        : base(MessagePackFormat, "MessagePack")
    {
        if (options is null)
            throw new ArgumentNullException(nameof(options));
        if (options.Compression != MessagePackCompression.None)
            throw new ArgumentException("Compressed MessagePack is another format: a peer would take it for the plain one.", nameof(options));

        _options = options;
    }

    /// <inheritdoc/>
    protected override void Write<T>(IBufferWriter<byte> destination, in T message)
    {
        if (message is null)
            throw new MessagePackSerializationException("A message is null; only its fields can be.");
        MessagePackSerializer.Serialize(destination, message, _options);
    }

    /// <inheritdoc/>
    protected override T Read<T>(ReadOnlyMemory<byte> payload)
    {
        T message = MessagePackSerializer.Deserialize<T>(payload, _options, out int length);
        if (message is null)
            throw new MessagePackSerializationException("A message is nil; only its fields can be.");
        if (length != payload.Length)
            throw new MessagePackSerializationException("A message of " + length + " bytes is followed by " + (payload.Length - length) + " more.");
        return message;
    }

    /// <inheritdoc/>
    protected override void WriteFields<T>(IBufferWriter<byte> destination, MessageFields<T> fields, in T message)
    {
        var head = new MessagePackWriter(destination);
        head.WriteArrayHeader(fields.Count == 0 ? 0 : fields.Count + 1);
        if (fields.Count != 0)
            head.WriteNil(); // place 0: numbers begin with 1
        head.Flush();
        fields.Write(new MessagePackFieldWriter(destination, _options), in message);
    }

    /// <inheritdoc/>
    protected override T ReadFields<T>(ReadOnlyMemory<byte> payload, MessageFields<T> fields)
    {
        var source = new MessagePackFieldReader(payload, _options);
        T message = fields.Read(source);
        source.SkipRest();
        return message;
    }
}
