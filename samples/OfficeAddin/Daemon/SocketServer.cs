using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using Ipc.Rpc;
using Sysmon;

namespace OfficeAddin;

/// <summary>The rival: Grid() over a Unix socket, the same bytes, each message after its length in four.</summary>
/// <remarks>One thread per client, blocking calls: the fastest simple thing that one would write instead.</remarks>
internal sealed class SocketServer : IDisposable
{
    private readonly string _path;
    private readonly SheetTable _table;
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly List<Socket> _clients = [];
    private bool _stopping;

    public SocketServer(string path, SheetTable table)
    {
        _path = path;
        _table = table;
        _listener.Bind(new UnixDomainSocketEndPoint(path));
        _listener.Listen();
        new Thread(AcceptClients) { IsBackground = true, Name = "unix socket" }.Start();
    }

    public void Dispose()
    {
        lock (_clients)
        {
            _stopping = true;
            foreach (Socket client in _clients)
                client.Dispose();
        }
        _listener.Dispose();
        File.Delete(_path);
    }

    private void AcceptClients()
    {
        try
        {
            while (true)
            {
                Socket client = _listener.Accept();
                lock (_clients)
                {
                    if (_stopping)
                    {
                        client.Dispose();
                        return;
                    }
                    _clients.Add(client);
                }
                new Thread(() => Serve(client)) { IsBackground = true, Name = "unix socket client" }.Start();
            }
        }
        catch (Exception ended) when (ended is SocketException or ObjectDisposedException)
        {
            // Dispose() closed the listener: the end.
        }
    }

    private void Serve(Socket client)
    {
        var frame = new SocketFrame();
        try
        {
            while (frame.TryReceive(client, SheetRpc.Grid.Request, out GridRequest? request))
                frame.Send(client, SheetRpc.Grid.Response, CellPacking.Pack(_table.Read(request!)));
        }
        catch (Exception broken) when (broken is SocketException or ObjectDisposedException or InvalidDataException or ProtoException or RpcException)
        {
            // This client's connection only: it has gone, or does not speak our language.
        }
        lock (_clients)
            _clients.Remove(client);
        client.Dispose();
    }
}
