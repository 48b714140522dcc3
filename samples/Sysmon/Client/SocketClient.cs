using System;
using System.IO;
using System.Net.Sockets;

namespace Sysmon;

/// <summary>Get() over the daemon's Unix socket: the same bytes, to compare with.</summary>
internal sealed class SocketClient : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly SocketFrame _frame = new();

    public SocketClient(string path) => _socket.Connect(new UnixDomainSocketEndPoint(path));

    public Table Get(TableRequest request)
    {
        _frame.Send(_socket, SystemMonitorRpc.Get.Request, request);
        if (!_frame.TryReceive(_socket, SystemMonitorRpc.Get.Response, out Table? table))
            throw new EndOfStreamException("the daemon closed the Unix socket");
        return table!;
    }

    public void Dispose() => _socket.Dispose();
}
