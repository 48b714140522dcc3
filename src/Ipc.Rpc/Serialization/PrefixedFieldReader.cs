using System;
using System.Buffers.Binary;

namespace Ipc.Rpc;

/// <summary>Reads what <see cref="PrefixedFieldWriter"/> wrote.</summary>
internal sealed class PrefixedFieldReader : IMessageFieldReader
{
    private readonly IpcSerializer _serializer;
    private ReadOnlyMemory<byte> _rest;

    public PrefixedFieldReader(IpcSerializer serializer, ReadOnlyMemory<byte> payload)
    {
        _serializer = serializer;
        _rest = payload;
    }

    public TField? Read<TField>(int number)
    {
        if (_rest.IsEmpty)
            return default;

        int length = _rest.Length < sizeof(int) ? -1 : BinaryPrimitives.ReadInt32LittleEndian(_rest.Span);
        if (length < 0 || length > _rest.Length - sizeof(int))
            throw new FormatException("Field " + number + " extends beyond the end of its message.");

        ReadOnlyMemory<byte> field = _rest.Slice(sizeof(int), length);
        _rest = _rest.Slice(sizeof(int) + length);
        return _serializer.ReadOne<TField>(field);
    }
}
