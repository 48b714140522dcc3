using System;

namespace Ipc.Rpc;

/// <summary>A client that wants to connect.</summary>
public sealed class RpcPeer
{
    internal RpcPeer(int processId, ReadOnlyMemory<byte> hello)
    {
        ProcessId = processId;
        Hello = hello;
    }

    /// <summary>Its process id.</summary>
    public int ProcessId { get; }

    /// <summary>The <see cref="RpcClientOptions.Hello"/> that it sent. The bytes are not verified.</summary>
    public ReadOnlyMemory<byte> Hello { get; }
}
