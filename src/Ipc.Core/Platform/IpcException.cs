using System;
using System.IO;

namespace Ipc;

/// <summary>An error with its <see cref="IpcStatus"/>. The message says what happened, both values where two did not
/// match, and what to do.</summary>
public class IpcException : IOException
{
    /// <summary>An error without further words.</summary>
    public IpcException() : this(IpcStatus.SystemError, "An IPC operation failed.") { }

    /// <summary>An error of unknown status.</summary>
    public IpcException(string message) : this(IpcStatus.SystemError, message) { }

    /// <summary>An error of unknown status with its cause.</summary>
    public IpcException(string message, Exception innerException) : base(message, innerException) =>
        Status = IpcStatus.SystemError;

    private protected IpcException(IpcStatus status, string message, Exception innerException)
        : base(message, innerException) =>
        Status = status;

    /// <summary>An error; <paramref name="systemErrorCode"/> is the errno, or 0.</summary>
    public IpcException(IpcStatus status, string message, int systemErrorCode = 0) : base(message)
    {
        Status = status;
        SystemErrorCode = systemErrorCode;
    }

    /// <summary>Which error; always negative, except that a connect can end with <see cref="IpcStatus.Timeout"/> and
    /// the like.</summary>
    public IpcStatus Status { get; }

    /// <summary>The operating system's number for it (errno); 0 when it was not the operating system.</summary>
    public int SystemErrorCode { get; }
}
