using System;
using Ipc.Rpc;

namespace Ipc.Bench.Codec;

/// <summary>One message, ready to be written and read by one codec, into and out of memory that is there.</summary>
public abstract class Coded
{
    public abstract int Encode();

    public abstract object Decode();
}

/// <summary>One of a known type.</summary>
internal sealed class Coded<T> : Coded
    where T : class
{
    private readonly MessageCodec<T> _codec;
    private readonly T _value;
    private readonly byte[] _place = new byte[1 << 20];
    private readonly int _length;

    public Coded(MessageCodec<T> codec, T value)
    {
        _codec = codec;
        _value = value;
        _length = codec.Encode(value, _place);
    }

    public override int Encode() => _codec.Encode(_value, _place);

    public override object Decode() => _codec.Decode(_place.AsSpan(0, _length));
}
