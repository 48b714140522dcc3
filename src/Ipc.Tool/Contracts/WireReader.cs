using System;
using System.Buffers.Binary;

namespace Ipc.Tool;

/// <summary>Reads protobuf's wire format out of bytes that may be anything. False: they are none.</summary>
internal ref struct WireReader(ReadOnlySpan<byte> bytes)
{
    private ReadOnlySpan<byte> _rest = bytes;

    public readonly bool HasMore => _rest.Length > 0;

    public bool TryTag(out int number, out uint wireType)
    {
        bool ok = TryVarint(out ulong tag) && tag <= uint.MaxValue && tag >> 3 != 0;
        number = (int)(tag >> 3);
        wireType = (uint)tag & 7;
        return ok;
    }

    public bool TryVarint(out ulong value)
    {
        value = 0;
        for (int i = 0; i < 10 && i < _rest.Length; i++)
        {
            value |= (ulong)(_rest[i] & 0x7F) << (7 * i);
            if (_rest[i] >= 0x80)
                continue;
            _rest = _rest[(i + 1)..];
            return true;
        }

        return false;
    }

    /// <summary>The value behind a tag: a number, or bytes.</summary>
    public bool TryValue(uint wireType, out ulong number, out ReadOnlySpan<byte> block)
    {
        number = 0;
        block = default;
        switch (wireType)
        {
            case 0:
                return TryVarint(out number);
            case 1 when _rest.Length >= 8:
                number = BinaryPrimitives.ReadUInt64LittleEndian(_rest);
                _rest = _rest[8..];
                return true;
            case 2 when TryVarint(out ulong length) && length <= (ulong)_rest.Length:
                block = _rest[..(int)length];
                _rest = _rest[(int)length..];
                return true;
            case 5 when _rest.Length >= 4:
                number = BinaryPrimitives.ReadUInt32LittleEndian(_rest);
                _rest = _rest[4..];
                return true;
            default:
                return false; // groups among them: nobody writes them
        }
    }
}
