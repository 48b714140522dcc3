using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using Ipc.Rpc;

namespace Sysmon;

/// <summary>The rival: one method over a Unix socket, its messages as <see cref="SocketFrame"/> has them.</summary>
/// <remarks>One thread per client, blocking calls: the fastest simple thing that one would write instead.</remarks>
internal sealed class SocketServer<TRequest, TResponse> : IDisposable
{
    private readonly string _path;
    private readonly RpcMethod<TRequest, TResponse> _method;
    private readonly Func<TRequest, TResponse> _answer;
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly List<Socket> _clients = [];
    private bool _stopping;

    public SocketServer(string path, RpcMethod<TRequest, TResponse> method, Func<TRequest, TResponse> answer)
    {
        _path = path;
        _method = method;
        _answer = answer;
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
            while (frame.TryReceive(client, _method.Request, out TRequest? request))
                frame.Send(client, _method.Response, _answer(request!));
        }
        catch (Exception broken) when (broken is SocketException or ObjectDisposedException or InvalidDataException or ProtoException or RpcCallException)
        {
            // This client's connection only: it has gone, or does not speak our language.
        }
        lock (_clients)
            _clients.Remove(client);
        client.Dispose();
    }
}
