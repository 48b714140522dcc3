using System;
using Microsoft.AspNetCore.Connections.Features;

namespace Ipc.AspNetCore;

/// <summary>Who is at the other end of a connection over shared memory:
/// <c>context.Features.Get&lt;IIpcPeerFeature&gt;()</c>. The client's user is also the connection's
/// <see cref="IConnectionUserFeature"/>.</summary>
public interface IIpcPeerFeature
{
    /// <summary>The client's process, as it said itself: it is not verified.</summary>
    int ProcessId { get; }

    /// <summary>The client's user, as the kernel says: see <see cref="Connection.PeerUserId"/>. Others than this
    /// server's own connect only to a name of the machine (<c>machine/NAME</c>), if the listener's
    /// <see cref="Pipelines.IpcPipeListenerOptions.Access"/> lets them in. <see langword="null"/> on Windows.</summary>
    uint? UserId { get; }

    /// <summary>What the client said when it connected: <see cref="Pipelines.IpcPipeOptions.Hello"/>.</summary>
    ReadOnlyMemory<byte> Hello { get; }
}
