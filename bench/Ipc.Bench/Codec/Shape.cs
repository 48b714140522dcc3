using System;
using System.IO;
using Google.Protobuf;
using Ipc.Rpc;

namespace Ipc.Bench.Codec;

/// <summary>One message, ready to be written and read by both: the same bytes, into and out of memory that is there.</summary>
public abstract class Shape
{
    public abstract int EncodeGenerated();

    public abstract int EncodeGoogle();

    public abstract object DecodeGenerated();

    public abstract object DecodeGoogle();

    /// <summary>The same message by the serializer, in whatever bytes those are; <see langword="null"/>: by the generated codec.</summary>
    public abstract Coded By(IpcSerializer? serializer);
}

/// <summary>A shape of known types.</summary>
internal sealed class Shape<T, TGoogle> : Shape
    where T : class
    where TGoogle : IMessage<TGoogle>
{
    private readonly MessageCodec<T> _codec;
    private readonly MessageParser<TGoogle> _parser;
    private readonly T _value;
    private readonly TGoogle _google;
    private readonly byte[] _bytes;

    public Shape(MessageCodec<T> codec, MessageParser<TGoogle> parser, T value)
    {
        _codec = codec;
        _parser = parser;
        _value = value;
        byte[] place = new byte[1 << 20];
        _bytes = place[..codec.Encode(value, place)];
        _google = parser.ParseFrom(_bytes);
        if (!_google.ToByteArray().AsSpan().SequenceEqual(_bytes))
            throw new InvalidDataException("The two write different bytes: there is nothing to compare.");
    }

    public override int EncodeGenerated() => _codec.Encode(_value, _bytes);

    /// <summary>It wants a span of the very size, which its caller has to ask for first; that is left out here, to its advantage.</summary>
    public override int EncodeGoogle()
    {
        _google.WriteTo(_bytes.AsSpan());
        return _bytes.Length;
    }

    public override object DecodeGenerated() => _codec.Decode(_bytes);

    public override object DecodeGoogle() => _parser.ParseFrom(_bytes.AsSpan());

    public override Coded By(IpcSerializer? serializer) => new Coded<T>(serializer?.CodecFor(_codec) ?? _codec, _value);
}
