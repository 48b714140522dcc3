using System;
using System.Buffers.Binary;
using System.IO;
using System.Net.Sockets;
using Ipc.Rpc;

namespace Sysmon;

/// <summary>Get() over a Unix socket: four bytes of length, then the same protobuf bytes. Both ends of the rival use it.</summary>
internal sealed class SocketFrame
{
    private const int MaxSize = 16 << 20;
    private byte[] _buffer = new byte[64 * 1024];

    /// <summary>Sends a message with one system call.</summary>
    public void Send<T>(Socket socket, MessageCodec<T> codec, T message)
    {
        var writer = new ProtoWriter(_buffer.AsSpan(4), new Room(this));
        codec.Write(ref writer, in message);
        BinaryPrimitives.WriteInt32LittleEndian(_buffer, writer.Written);
        for (int sent = 0, size = writer.Written + 4; sent < size;)
            sent += socket.Send(_buffer.AsSpan(sent, size - sent));
    }

    /// <summary>Receives a message. False: the other side has closed.</summary>
    public bool TryReceive<T>(Socket socket, MessageCodec<T> codec, out T? message)
    {
        message = default;
        int have = 0, size = 4;
        while (have < size)
        {
            int got = socket.Receive(_buffer.AsSpan(have)); // nobody sends ahead: this is one frame at most
            if (got == 0)
                return false;
            have += got;
            if (have < 4)
                continue;
            int length = BinaryPrimitives.ReadInt32LittleEndian(_buffer);
            if ((uint)length > MaxSize)
                throw new InvalidDataException($"a frame of {length} bytes, more than {MaxSize}");
            size = length + 4;
            if (size > _buffer.Length)
                Array.Resize(ref _buffer, size);
        }
        message = codec.Decode(_buffer.AsSpan(4, size - 4));
        return true;
    }

    private sealed class Room(SocketFrame owner) : IPayloadTarget
    {
        public Span<byte> Grow(int written, int needed)
        {
            Array.Resize(ref owner._buffer, Math.Max(4 + written + needed, owner._buffer.Length * 2));
            return owner._buffer.AsSpan(4);
        }
    }
}
