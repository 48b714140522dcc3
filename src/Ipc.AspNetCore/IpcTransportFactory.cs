using System;
using System.Collections.Generic;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Connections;

namespace Ipc.AspNetCore;

/// <summary>Kestrel's transport for <see cref="IpcEndPoint"/>; those for sockets stand beside it.</summary>
internal sealed class IpcTransportFactory : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    private readonly object _sync = new();
    private readonly Dictionary<string, SharedListener> _shared = [];

    public bool CanBind(EndPoint endpoint) => endpoint is IpcEndPoint;

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        if (endpoint is not IpcEndPoint named)
            throw new NotSupportedException($"{endpoint} is no {nameof(IpcEndPoint)}.");
        lock (_sync)
        {
            if (named.Versions == HttpVersions.Any || !_shared.TryGetValue(named.Name, out SharedListener? listener))
            {
                listener = new SharedListener(named.Name, named.Options, named.Versions != HttpVersions.Any);
                if (named.Versions != HttpVersions.Any)
                    _shared.Add(named.Name, listener);
            }

            listener.Users++;
            return new ValueTask<IConnectionListener>(new IpcConnectionListener(this, listener, named));
        }
    }

    /// <summary>The last one disposes it.</summary>
    public void Leave(IpcEndPoint endPoint, SharedListener listener)
    {
        lock (_sync)
        {
            if (--listener.Users != 0)
                return;
            if (endPoint.Versions != HttpVersions.Any)
                _shared.Remove(endPoint.Name);
        }

        listener.Dispose();
    }
}
