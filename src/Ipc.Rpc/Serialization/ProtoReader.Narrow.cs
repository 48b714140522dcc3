namespace Ipc.Rpc;

/// <content>Integers that C# has in 8 and 16 bits and protobuf in 32. A number that does not fit is refused, never
/// cut.</content>
public ref partial struct ProtoReader
{
    /// <summary>Reads an int32 that fits a signed byte.</summary>
    public sbyte ReadSByte()
    {
        int offset = _position;
        int value = ReadInt32();
        return value == (sbyte)value ? (sbyte)value : OutOfRange<sbyte>(value, offset);
    }

    /// <summary>Reads an int32 that fits 16 bits.</summary>
    public short ReadInt16()
    {
        int offset = _position;
        int value = ReadInt32();
        return value == (short)value ? (short)value : OutOfRange<short>(value, offset);
    }

    /// <summary>Reads a uint32, or an enum, that fits a byte.</summary>
    public byte ReadByte()
    {
        int offset = _position;
        uint value = ReadUInt32();
        return value == (byte)value ? (byte)value : OutOfRange<byte>(value, offset);
    }

    /// <summary>Reads a uint32, or an enum, that fits 16 bits.</summary>
    public ushort ReadUInt16()
    {
        int offset = _position;
        uint value = ReadUInt32();
        return value == (ushort)value ? (ushort)value : OutOfRange<ushort>(value, offset);
    }

    private static T OutOfRange<T>(long value, int offset)
        => ProtoThrow.Error<T>(
            ProtoError.InvalidValue, offset, "The number " + value + " does not fit the type " + typeof(T).Name);
}
