using System;
using System.Buffers;
using Grpc.Core;
using Ipc.Rpc;

namespace Ipc.Grpc;

/// <summary>The bytes of a message. Both sides write the same protobuf, so the gateway does not look at them.</summary>
/// <remarks>Who gets one disposes it; what is not disposed is garbage collected.</remarks>
internal sealed class Payload(PooledBytes bytes) : IDisposable
{
    /// <summary>Copies the bytes out of the ring and into it.</summary>
    public static readonly MessageCodec<Payload> Codec = new(
        "bytes",
        static (ref ProtoWriter writer, in Payload value) => writer.WriteRaw(value.Span),
        static (ref ProtoReader reader) => new Payload(PooledBytes.CopyOf(reader.ReadToEnd())));

    /// <summary>Of the gateway: copies the bytes out of gRPC's buffers and into them. An answer that was sent is
    /// disposed.</summary>
    public static readonly Marshaller<Payload> Marshaller = new(SendOnce, Receive);

    /// <summary>Of a caller: what was sent may be sent again, by gRPC's retries or by an interceptor.</summary>
    public static readonly Marshaller<Payload> CallerMarshaller = new(Send, Receive);

    /// <summary>A message without fields.</summary>
    public static Payload Empty => new(default);

    public ReadOnlySpan<byte> Span => bytes.Span;

    /// <summary>Why gRPC did not take it: it is longer than its channel allows.</summary>
    public RpcException? Refusal { get; private set; }

    /// <summary>A message, encoded.</summary>
    /// <exception cref="ProtoException">It cannot be encoded.</exception>
    public static Payload Of<T>(MessageCodec<T> codec, in T message)
    {
        using Scratch scratch = new();
        ProtoWriter writer = new(scratch.Span, scratch);
        codec.Write(ref writer, in message);
        return Of(scratch.Span[..writer.Written]);
    }

    public static Payload Of(ReadOnlySpan<byte> bytes) => new(PooledBytes.CopyOf(bytes));

    public void Dispose() => bytes.Dispose();

    private static void SendOnce(Payload payload, SerializationContext context)
    {
        using (payload)
            Send(payload, context);
    }

    private static void Send(Payload payload, SerializationContext context)
    {
        try
        {
            context.SetPayloadLength(payload.Span.Length);
            context.GetBufferWriter().Write(payload.Span);
            context.Complete();
        }
        catch (RpcException e)
        {
            payload.Refusal = e;
            throw;
        }
    }

    private static Payload Receive(DeserializationContext context)
    {
        PooledBytes copy = PooledBytes.Rent(context.PayloadLength);
        context.PayloadAsReadOnlySequence().CopyTo(copy.Span);
        return new Payload(copy);
    }

    /// <summary>Where a message is encoded, whose length is known afterwards.</summary>
    private sealed class Scratch : IPayloadTarget, IDisposable
    {
        private byte[] _bytes = ArrayPool<byte>.Shared.Rent(256);

        public Span<byte> Span => _bytes;

        public Span<byte> Grow(int written, int needed)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(
                Array.MaxLength, Math.Max(2L * _bytes.Length, (long)written + needed)));
            _bytes.AsSpan(0, written).CopyTo(larger);
            Dispose();
            return _bytes = larger;
        }

        public void Dispose() => ArrayPool<byte>.Shared.Return(_bytes);
    }
}
