using System;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;

namespace Ipc.Matrix.Cells;

/// <summary>A stream socket, of the file system or of the loopback interface: blocking, or asked again and again where ours spins.</summary>
/// <remarks>TCP without Nagle's delay, and buffers as large as the system allows.</remarks>
internal sealed class SocketLink(bool isTcp) : StreamLink
{
    private string _path = "";
    private bool _spins;
    private Socket? _listener;
    private Socket? _socket;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        _spins = wait == WaitMode.Spin;
        _path = Path.Combine(Path.GetTempPath(), $"ipc-cells-{name}.{(isTcp ? "port" : "sock")}");
        if (side == Side.Answering)
        {
            Listen();
            return;
        }

        _socket = Create();
        _socket.Connect(isTcp ? new IPEndPoint(IPAddress.Loopback, int.Parse(File.ReadAllText(_path), CultureInfo.InvariantCulture)) : new UnixDomainSocketEndPoint(_path));
        SetUp();
    }

    public override void Prepare(Work work)
    {
        if (_socket is not null)
            return;
        _socket = _listener!.Accept();
        SetUp();
    }

    public override void Dispose()
    {
        _socket?.Dispose();
        _listener?.Dispose();
        if (_listener is not null)
            File.Delete(_path);
    }

    protected override int WriteSome(ReadOnlySpan<byte> bytes)
    {
        for (; ; )
        {
            int written = _socket!.Send(bytes, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success)
                return written;
            Again(error);
        }
    }

    protected override int ReadSome(Span<byte> bytes)
    {
        for (; ; )
        {
            int read = _socket!.Receive(bytes, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success)
                return read > 0 ? read : throw new EndOfStreamException("The other process closed the socket.");
            Again(error);
        }
    }

    private static void Again(SocketError error)
    {
        if (error != SocketError.WouldBlock)
            throw new IOException($"The socket: {error}.");
        Thread.SpinWait(1);
    }

    private Socket Create() => isTcp
        ? new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        : new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

    private void Listen()
    {
        _listener = Create();
        File.Delete(_path);
        _listener.Bind(isTcp ? new IPEndPoint(IPAddress.Loopback, 0) : new UnixDomainSocketEndPoint(_path));
        _listener.Listen(1);
        if (isTcp)
            File.WriteAllText(_path, ((IPEndPoint)_listener.LocalEndPoint!).Port.ToString(CultureInfo.InvariantCulture));
    }

    private void SetUp()
    {
        if (isTcp)
            _socket!.NoDelay = true;
        _socket!.SendBufferSize = Links.Capacity;
        _socket.ReceiveBufferSize = Links.Capacity;
        _socket.SendTimeout = _socket.ReceiveTimeout = (int)Patience.TotalMilliseconds;
        _socket.Blocking = !_spins;
    }
}
