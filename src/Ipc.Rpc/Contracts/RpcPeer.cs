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

    /// <summary>Its process.</summary>
    public int ProcessId { get; }

    /// <summary>What it says about itself (<see cref="RpcClientOptions.Hello"/>); the bytes are its own,
    /// unchecked.</summary>
    public ReadOnlyMemory<byte> Hello { get; }
}
