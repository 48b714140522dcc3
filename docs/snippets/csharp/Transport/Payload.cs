using Ipc.Rpc;

namespace Snippets;

/// <summary>Messages as the bytes that a transport carries.</summary>
internal static class Payload
{
    private const int MostBytes = 16 << 20;

    // snippet: raw
    /// <summary>For handlers that a transport calls: it does not look into what it carries.</summary>
    public static MessageCodec<byte[]> Raw { get; } = new(
        "bytes",
        static (ref ProtoWriter writer, in byte[] value) => writer.WriteRaw(value),
        static (ref ProtoReader reader) => reader.ReadToEnd().ToArray());
    // end-snippet

    // snippet: encode
    public static byte[] Encode<T>(RpcMethod method, MessageCodec<T> codec, in T message)
    {
        for (int size = 256; ; size *= 4)
        {
            byte[] room = new byte[size];
            try
            {
                return room[..codec.Encode(in message, room)];
            }
            catch (ProtoException e) when (e.Error == ProtoError.DestinationTooSmall && size < MostBytes)
            {
                continue;
            }
            catch (ProtoException e)
            {
                throw RpcCallException.OfTransport(RpcStatus.InvalidArgument, e.Message, method, MemoryQueue.Peer, isUnsent: true, inner: e);
            }
        }
    }

    public static T Decode<T>(RpcMethod method, MessageCodec<T> codec, byte[] body)
    {
        try
        {
            return codec.Decode(body);
        }
        catch (ProtoException e)
        {
            throw RpcCallException.OfTransport(RpcStatus.Internal, e.Message, method, MemoryQueue.Peer, inner: e);
        }
    }
    // end-snippet
}
