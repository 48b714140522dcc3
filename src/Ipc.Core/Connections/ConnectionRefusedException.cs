using System;

namespace Ipc;

/// <summary>The server refused the connection. <see cref="Exception.Message"/> is its text.</summary>
public sealed class ConnectionRefusedException : IpcException
{
    internal ConnectionRefusedException(string message, CloseCode code) : this(message) => Code = code;

    /// <summary>A refusal without a text of the server.</summary>
    public ConnectionRefusedException() : base(IpcStatus.Refused, "The server refused the connection.") { }

    /// <summary>A refusal with the server's text.</summary>
    public ConnectionRefusedException(string message) : base(IpcStatus.Refused, message) { }

    /// <summary>A refusal with the server's text and a cause.</summary>
    public ConnectionRefusedException(string message, Exception innerException) : base(message, innerException) { }

    /// <summary>The code that the server closed the connection with: Refused, or one that says more.</summary>
    public CloseCode Code { get; } = CloseCode.Refused;
}
