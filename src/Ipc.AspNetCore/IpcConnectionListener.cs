using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Pipelines;
using Microsoft.AspNetCore.Connections;

namespace Ipc.AspNetCore;

/// <summary>One end point's part of a listener.</summary>
internal sealed class IpcConnectionListener : IConnectionListener
{
    private readonly IpcTransportFactory _factory;
    private readonly SharedListener _listener;
    private readonly IpcEndPoint _endPoint;
    private int _disposed; // [once]

    public IpcConnectionListener(IpcTransportFactory factory, SharedListener listener, IpcEndPoint endPoint)
    {
        _factory = factory;
        _listener = listener;
        _endPoint = endPoint;
    }

    public EndPoint EndPoint => _endPoint;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        IpcPipe? pipe = await _listener.AcceptAsync(_endPoint.Versions, cancellationToken).ConfigureAwait(false);
        return pipe is null ? null : new IpcConnectionContext(pipe, _endPoint);
    }

    public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        _listener.Stop();
        return default;
    }

    public ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0)
            _factory.Leave(_endPoint, _listener);
        return default;
    }
}
