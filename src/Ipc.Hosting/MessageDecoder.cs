using System;
using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>What makes messages of bytes, and bytes of messages.</summary>
internal sealed class MessageDecoder<TMessage>
{
    private readonly MessageCodec<TMessage>? _codec;

    /// <exception cref="InvalidOperationException">No contract has this message, and no codec was given.</exception>
    public MessageDecoder(MessageCodec<TMessage>? codec)
        => _codec = typeof(TMessage) == typeof(byte[]) ? null : codec ?? RpcContracts.Codec<TMessage>();

    /// <exception cref="ProtoException">The bytes are not such a message.</exception>
    public TMessage Decode(ReadOnlySpan<byte> payload) => _codec is null ? (TMessage)(object)payload.ToArray() : _codec.Decode(payload);

    /// <exception cref="ProtoException">The message is not expressible.</exception>
    public EncodedMessage Encode(TMessage message)
    {
        if (message is null)
            throw new ArgumentNullException(nameof(message));
        return _codec is null ? new EncodedMessage((byte[])(object)message) : EncodedMessage.Of(_codec, message);
    }
}
