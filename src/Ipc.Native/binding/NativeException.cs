using System;
using System.IO;

namespace Ipc.Native;

/// <summary>An error of the C library: its <see cref="Status"/>, and in the message what <c>ipc_last_error</c> said of it.</summary>
public class NativeException : IOException
{
    /// <summary>An error without further words.</summary>
    public NativeException() : this("A call of the native Ipc library failed.") { }

    /// <summary>An error of unknown status.</summary>
    public NativeException(string message) : this(NativeStatus.SystemError, message) { }

    /// <summary>An error of unknown status with its cause.</summary>
    public NativeException(string message, Exception innerException) : base(message, innerException) => Status = NativeStatus.SystemError;

    /// <summary>An error; <paramref name="systemErrorCode"/> is the errno, or 0.</summary>
    public NativeException(NativeStatus status, string message, int systemErrorCode = 0) : base(message)
    {
        Status = status;
        SystemErrorCode = systemErrorCode;
    }

    /// <summary>Which error.</summary>
    public NativeStatus Status { get; }

    /// <summary>The operating system's number for it (errno); 0 when it was not the operating system.</summary>
    public int SystemErrorCode { get; }
}
