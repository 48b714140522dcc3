using System;

namespace Ipc.Rpc;

/// <summary>Writes a message's fields.</summary>
public delegate void MessageWriter<T>(ref ProtoWriter writer, in T value);

/// <summary>Reads a message's fields up to the end of <paramref name="reader"/>.</summary>
public delegate T MessageReader<T>(ref ProtoReader reader);

/// <summary>The two functions of a message type and its name. Immutable and thread-safe.</summary>
public sealed class MessageCodec<T>
{
    private readonly MessageWriter<T> _write;
    private readonly MessageReader<T> _read;

    /// <summary>Joins the two functions; called by generated code.</summary>
    /// <param name="name">The message's name in the <c>.proto</c>.</param>
    /// <param name="write">Writes its fields.</param>
    /// <param name="read">Reads its fields.</param>
    /// <param name="package">The <c>.proto</c>'s package; <see langword="null"/> for none.</param>
    /// <param name="fields">For a message that is made of a method's parameters or result: these, one by one.</param>
    public MessageCodec(
        string name,
        MessageWriter<T> write,
        MessageReader<T> read,
        string? package = null,
        MessageFields<T>? fields = null)
    {
        Name = name ?? throw new ArgumentNullException(nameof(name));
        FullName = string.IsNullOrEmpty(package) ? name : package + "." + name;
        _write = write ?? throw new ArgumentNullException(nameof(write));
        _read = read ?? throw new ArgumentNullException(nameof(read));
        Fields = fields;
    }

    /// <summary>The same for a message of the library's own.</summary>
    internal MessageCodec(string name, MessageWriter<T> write, MessageReader<T> read, bool isProtobufAlways)
        : this(name, write, read) => IsProtobufAlways = isProtobufAlways;

    /// <summary>The message's name in the <c>.proto</c>.</summary>
    public string Name { get; }

    /// <summary>The message's name with the <c>.proto</c>'s package before it.</summary>
    public string FullName { get; }

    /// <summary>The fields of a message that exists on the wire only; <see langword="null"/> when
    /// <typeparamref name="T"/> is the message.</summary>
    public MessageFields<T>? Fields { get; }

    /// <summary>Whether the message is protobuf whatever the format of its call.</summary>
    internal bool IsProtobufAlways { get; }

    /// <summary>Appends the message to <paramref name="writer"/>. Allocates nothing except enumerators of collections
    /// that are declared as interfaces, or sorted.</summary>
    /// <exception cref="ProtoException">The message cannot be encoded: it has a cycle, a null element or an unpaired
    /// surrogate.</exception>
    public void Write(ref ProtoWriter writer, in T value) => _write(ref writer, in value);

    /// <summary>Reads a message. Allocates only the objects of the message.</summary>
    /// <exception cref="ProtoException">The bytes are not a valid message of this type.</exception>
    public T Read(ref ProtoReader reader) => _read(ref reader);

    /// <summary>Writes the message to the start of <paramref name="destination"/>.</summary>
    /// <returns>The number of bytes written.</returns>
    /// <exception cref="ProtoException">The message cannot be encoded, or does not fit.</exception>
    public int Encode(in T value, Span<byte> destination)
    {
        var writer = new ProtoWriter(destination, null);
        _write(ref writer, in value);
        return writer.Written;
    }

    /// <summary>Reads the message that is all of <paramref name="payload"/>.</summary>
    /// <exception cref="ProtoException">The bytes are not a valid message of this type.</exception>
    public T Decode(ReadOnlySpan<byte> payload)
    {
        var reader = new ProtoReader(payload);
        return _read(ref reader);
    }
}
