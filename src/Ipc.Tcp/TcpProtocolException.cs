using System;

namespace Ipc.Tcp;

/// <summary>The other end does not keep to docs/tcp-protocol.md.</summary>
internal sealed class TcpProtocolException : Exception
{
    public TcpProtocolException(string message)
        : base(message)
    {
    }
}
