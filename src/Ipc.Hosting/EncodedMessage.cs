using System;
using System.Buffers;
using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>A message's bytes, in an array that goes back to a pool.</summary>
internal sealed class EncodedMessage : IPayloadTarget, IDisposable
{
    private const int Usual = 512;

    private byte[] _bytes;
    private int _length;
    private bool _isRented;

    public EncodedMessage(byte[] bytes)
    {
        _bytes = bytes;
        _length = bytes.Length;
    }

    public ReadOnlyMemory<byte> Bytes => _bytes.AsMemory(0, _length);

    public static EncodedMessage Of<TMessage>(MessageCodec<TMessage> codec, TMessage message)
    {
        var encoded = new EncodedMessage(ArrayPool<byte>.Shared.Rent(Usual)) { _isRented = true };
        try
        {
            var writer = new ProtoWriter(encoded._bytes, encoded);
            codec.Write(ref writer, in message);
            encoded._length = writer.Written;
            return encoded;
        }
        catch
        {
            encoded.Dispose();
            throw;
        }
    }

    public Span<byte> Grow(int written, int needed)
    {
        byte[] larger = ArrayPool<byte>.Shared.Rent(checked(written + Math.Max(needed, written)));
        _bytes.AsSpan(0, written).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = larger;
        return larger;
    }

    public void Dispose()
    {
        byte[] bytes = _bytes;
        _bytes = Array.Empty<byte>();
        _length = 0;
        if (_isRented && bytes.Length != 0)
            ArrayPool<byte>.Shared.Return(bytes);
    }
}
