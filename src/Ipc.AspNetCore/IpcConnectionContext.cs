using System;
using System.Net;
using System.Threading.Tasks;
using Ipc.Pipelines;
using Microsoft.AspNetCore.Connections;

namespace Ipc.AspNetCore;

/// <summary>One connection of the server.</summary>
internal sealed class IpcConnectionContext : DefaultConnectionContext, IIpcPeerFeature
{
    private readonly IpcPipe _pipe;

    public IpcConnectionContext(IpcPipe pipe, EndPoint endPoint)
        : base(Guid.NewGuid().ToString("N"))
    {
        _pipe = pipe;
        Transport = pipe;
        LocalEndPoint = endPoint;
        ConnectionClosed = pipe.Closed;
        Features.Set<IIpcPeerFeature>(this);
    }

    public int ProcessId => _pipe.PeerProcessId;

    public ReadOnlyMemory<byte> Hello => _pipe.Hello;

    /// <remarks>The server gives no reason when it has heard that the client has gone.</remarks>
    public override void Abort(ConnectionAbortedException abortReason) => _pipe.Abort(abortReason?.Message);

    public override async ValueTask DisposeAsync()
    {
        await _pipe.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }
}
