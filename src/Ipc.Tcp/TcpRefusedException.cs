using System;

namespace Ipc.Tcp;

/// <summary>The entrance said REFUSED.</summary>
internal sealed class TcpRefusedException : Exception
{
    public TcpRefusedException(CloseCode code, string message)
        : base(message) => Code = code;

    public CloseCode Code { get; }
}
