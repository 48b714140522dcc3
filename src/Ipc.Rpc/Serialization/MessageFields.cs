using System;

namespace Ipc.Rpc;

/// <summary>Hands a message's fields to <paramref name="target"/>.</summary>
public delegate void MessageFieldsWriter<T>(IMessageFieldWriter target, in T value);

/// <summary>Makes a message of the fields that <paramref name="source"/> has.</summary>
public delegate T MessageFieldsReader<T>(IMessageFieldReader source);

/// <summary>
/// The fields of a message that has no type of its own: the parameters of a method, its bare result, or nothing. A
/// serializer that knows types, and not methods, can write such a message by its fields.
/// </summary>
public sealed class MessageFields<T>
{
    private readonly MessageFieldsWriter<T> _write;
    private readonly MessageFieldsReader<T> _read;

    /// <summary>Joins the two functions; called by generated code.</summary>
    public MessageFields(int count, MessageFieldsWriter<T> write, MessageFieldsReader<T> read)
    {
        if (count < 0)
            throw new ArgumentOutOfRangeException(nameof(count), count, "A message has no less than no fields.");

        Count = count;
        _write = write ?? throw new ArgumentNullException(nameof(write));
        _read = read ?? throw new ArgumentNullException(nameof(read));
    }

    /// <summary>How many fields there are. Their numbers are 1 to this one.</summary>
    public int Count { get; }

    /// <summary>Hands over all fields, by ascending number.</summary>
    public void Write(IMessageFieldWriter target, in T value) => _write(target, in value);

    /// <summary>Asks for all fields, by ascending number.</summary>
    public T Read(IMessageFieldReader source) => _read(source);
}
