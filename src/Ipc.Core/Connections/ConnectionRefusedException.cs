using System;

namespace Ipc;

/// <summary>The server said no. <see cref="Exception.Message"/> is its text.</summary>
public sealed class ConnectionRefusedException : IpcException
{
    /// <summary>Refused without words.</summary>
    public ConnectionRefusedException() : base(IpcStatus.Refused, "The server refused the connection.") { }

    /// <summary>Refused with the server's words.</summary>
    public ConnectionRefusedException(string message) : base(IpcStatus.Refused, message) { }

    /// <summary>Refused with the server's words and a cause.</summary>
    public ConnectionRefusedException(string message, Exception innerException) : base(message, innerException) { }
}
