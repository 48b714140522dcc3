using System;

namespace Ipc.Rpc;

/// <summary>A payload cannot be read, or a message cannot be written. The only exception a codec throws.</summary>
public sealed class ProtoException : Exception
{
    /// <summary>Names the reason and the place.</summary>
    public ProtoException(ProtoError error, int offset, string message)
        : this(error, offset, message, null)
    {
    }

    /// <summary>Names the reason and the place, and the failure behind it.</summary>
    public ProtoException(ProtoError error, int offset, string message, Exception? inner)
        : base(
            message + " (" + error + " at byte " + offset.ToString(System.Globalization.CultureInfo.InvariantCulture) +
                ").",
            inner)
    {
        Error = error;
        Offset = offset;
    }

    /// <summary>The reason.</summary>
    public ProtoError Error { get; }

    /// <summary>Where, in bytes from the start of the payload.</summary>
    public int Offset { get; }
}
