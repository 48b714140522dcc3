using System;

namespace Ipc;

/// <summary>Shared memory holds what no correct peer writes. The message names what was found and what was
/// expected.</summary>
/// <remarks>Nothing outside the mapping was touched. A connection is closed with <c>CloseCode.Corrupt</c> before this
/// is thrown.</remarks>
public sealed class CorruptRegionException : IpcException
{
    /// <summary>Corruption without further words.</summary>
    public CorruptRegionException() : base(IpcStatus.Corrupt, "Shared memory is corrupt.") { }

    /// <summary>Corruption as described.</summary>
    public CorruptRegionException(string message) : base(IpcStatus.Corrupt, message) { }

    /// <summary>Corruption as described, with its cause.</summary>
    public CorruptRegionException(string message, Exception innerException)
        : base(IpcStatus.Corrupt, message, innerException) { }
}
