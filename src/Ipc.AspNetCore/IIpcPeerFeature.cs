using System;

namespace Ipc.AspNetCore;

/// <summary>Who is at the other end of a connection over shared memory:
/// <c>context.Features.Get&lt;IIpcPeerFeature&gt;()</c>.</summary>
public interface IIpcPeerFeature
{
    /// <summary>The client's process, as it said itself. Other users have no access to the memory at all.</summary>
    int ProcessId { get; }

    /// <summary>What the client said when it connected: <see cref="Pipelines.IpcPipeOptions.Hello"/>.</summary>
    ReadOnlyMemory<byte> Hello { get; }
}
