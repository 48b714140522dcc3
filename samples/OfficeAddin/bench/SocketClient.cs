using System;
using System.IO;
using System.Net.Sockets;
using Sysmon;

namespace OfficeAddin.Bench;

/// <summary>Grid() over the daemon's Unix socket: the same bytes, to compare with.</summary>
internal sealed class SocketClient : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly SocketFrame _frame = new();

    public SocketClient(string path) => _socket.Connect(new UnixDomainSocketEndPoint(path));

    public CellGrid Grid(GridRequest request)
    {
        _frame.Send(_socket, SheetRpc.Grid.Request, request);
        if (!_frame.TryReceive(_socket, SheetRpc.Grid.Response, out Cells? cells))
            throw new EndOfStreamException("the daemon closed the Unix socket");
        return CellPacking.Unpack(cells!);
    }

    public void Dispose() => _socket.Dispose();
}
