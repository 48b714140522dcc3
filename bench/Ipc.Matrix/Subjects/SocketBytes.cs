using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;

namespace Ipc.Matrix;

/// <summary>A blocking stream socket; the answering side listens.</summary>
/// <remarks>The answering side accepts on a thread of its own: opening must not wait for the other process, which starts when this one is ready.</remarks>
internal abstract class SocketBytes : IByteChannel
{
    private Socket? _listener;
    private Thread? _accepting;
    private Socket? _socket;

    protected abstract Socket Create();

    protected abstract void Listen(Socket socket, string name);

    protected abstract EndPoint Find(string name);

    public void Open(string name, Side side)
    {
        if (side == Side.Measuring)
        {
            _socket = Create();
            _socket.Connect(Find(name));
            return;
        }

        _listener = Create();
        Listen(_listener, name);
        _accepting = new Thread(() => _socket = _listener.Accept()) { IsBackground = true };
        _accepting.Start();
    }

    public void Send(ReadOnlySpan<byte> bytes)
    {
        Socket socket = Connected();
        while (!bytes.IsEmpty)
            bytes = bytes[socket.Send(bytes)..];
    }

    public void Receive(Span<byte> bytes)
    {
        while (!bytes.IsEmpty)
            bytes = bytes[ReceiveSome(bytes)..];
    }

    /// <summary>Receives what is there, at least one byte.</summary>
    public int ReceiveSome(Span<byte> bytes)
    {
        int received = Connected().Receive(bytes);
        return received > 0 ? received : throw new EndOfStreamException("The other process closed the socket.");
    }

    public virtual void Dispose()
    {
        _socket?.Dispose();
        _listener?.Dispose();
    }

    private Socket Connected()
    {
        if (_socket is { } socket)
            return socket;
        _accepting?.Join();
        return _socket ?? throw new InvalidOperationException("Not open.");
    }
}
