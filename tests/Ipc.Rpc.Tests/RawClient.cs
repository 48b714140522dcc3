using System;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A client made of nothing but a connection: it sends what it is told to, right or wrong.</summary>
internal sealed class RawClient : IDisposable
{
    private readonly Connection _connection;

    public RawClient(string name, long toClientCapacity = 64 * 1024)
        => _connection = Connection.Connect(name, new ConnectOptions
        {
            ToServerCapacity = 64 * 1024,
            ToClientCapacity = toClientCapacity,
            Deadline = Deadline.After(Eventually.Watchdog),
        });

    public Connection Connection => _connection;

    /// <summary>The bytes of a field of type varint.</summary>
    public static byte[] Varint(int field, int value)
    {
        var buffer = new byte[16];
        var writer = new ProtoWriter(buffer, null);
        writer.WriteInt32((uint)field << 3, value);
        return buffer.AsSpan(0, writer.Written).ToArray();
    }

    public void Send(FrameHeader header, params byte[] body)
    {
        var frame = new byte[FrameHeader.Size + body.Length];
        header.WriteTo(frame);
        body.CopyTo(frame, FrameHeader.Size);
        SendRecord(frame);
    }

    public void SendRecord(byte[] bytes, ushort type = FrameHeader.RecordType)
    {
        Assert.Equal(IpcStatus.Ok, _connection.Writer.Claim(bytes.Length, out Span<byte> payload, Deadline.After(Eventually.Watchdog)));
        bytes.CopyTo(payload);
        _connection.Writer.Commit(bytes.Length, type);
    }

    /// <summary>The next frame from the server that is about a call, or a ping.</summary>
    public FrameHeader Receive() => Receive(out _);

    public FrameHeader Receive(out byte[] body)
    {
        FrameHeader header;
        do
        {
            header = ReceiveAny(out body);
        }
        while (header.Kind == FrameKind.Read);
        return header;
    }

    /// <summary>The next frame from the server.</summary>
    public FrameHeader ReceiveAny(out byte[] body)
    {
        Assert.Equal(IpcStatus.Ok, _connection.Reader.Read(out RingRecord record, Deadline.After(Eventually.Watchdog)));
        Assert.Null(FrameHeader.TryRead(record.Type, record.Payload, fromClient: false, out FrameHeader header));
        body = record.Payload.Slice(FrameHeader.Size).ToArray();
        _connection.Reader.Release();
        return header;
    }

    /// <summary>Waits until the server has closed, dropping what it sent before.</summary>
    public void WaitUntilClosed()
    {
        IpcStatus status;
        while ((status = _connection.Reader.Read(out _, Deadline.After(Eventually.Watchdog))) == IpcStatus.Ok)
            _connection.Reader.Release();
        Assert.Equal(IpcStatus.PeerClosed, status);
    }

    public void Dispose() => _connection.Dispose();
}
