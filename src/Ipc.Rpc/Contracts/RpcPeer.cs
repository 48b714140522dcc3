using System;

namespace Ipc.Rpc;

/// <summary>A client that wants to connect.</summary>
public sealed class RpcPeer
{
    internal RpcPeer(int processId, uint? userId, ReadOnlyMemory<byte> hello)
    {
        ProcessId = processId;
        UserId = userId;
        Hello = hello;
    }

    /// <summary>Its process id, as it says.</summary>
    public int ProcessId { get; }

    /// <summary>Its user id, as the kernel says: see <see cref="Connection.PeerUserId"/>. <see langword="null"/> on
    /// Windows.</summary>
    public uint? UserId { get; }

    /// <summary>The <see cref="RpcClientOptions.Hello"/> that it sent. The bytes are not verified.</summary>
    public ReadOnlyMemory<byte> Hello { get; }
}
