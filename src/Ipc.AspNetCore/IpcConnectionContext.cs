using System;
using System.Net;
using System.Security.Claims;
using System.Threading.Tasks;
using Ipc.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Ipc.AspNetCore;

/// <summary>One connection of the server.</summary>
internal sealed class IpcConnectionContext : DefaultConnectionContext, IIpcPeerFeature, IConnectionUserFeature
{
    private readonly IpcPipe _pipe;
    private Lazy<ClaimsPrincipal?> _user; // looking an account up takes a file at least: for who asks, and once

    public IpcConnectionContext(IpcPipe pipe, EndPoint endPoint)
        : base(Guid.NewGuid().ToString("N"))
    {
        _pipe = pipe;
        _user = new Lazy<ClaimsPrincipal?>(() => UserId is { } id ? UserAccount.Of(id) : null);
        Transport = pipe;
        LocalEndPoint = endPoint;
        ConnectionClosed = pipe.Closed;
        Features.Set<IIpcPeerFeature>(this);
        Features.Set<IConnectionUserFeature>(this);
    }

    public int ProcessId => _pipe.PeerProcessId;

    public uint? UserId => _pipe.PeerUserId;

    ClaimsPrincipal? IConnectionUserFeature.User
    {
        get => _user.Value;
        set => _user = new Lazy<ClaimsPrincipal?>(value);
    }

    public ReadOnlyMemory<byte> Hello => _pipe.Hello;

    /// <remarks>The server gives no reason when it has heard that the client has gone.</remarks>
    public override void Abort(ConnectionAbortedException abortReason) => _pipe.Abort(abortReason?.Message);

    public override async ValueTask DisposeAsync()
    {
        await _pipe.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }
}
