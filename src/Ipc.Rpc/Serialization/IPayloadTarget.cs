using System;

namespace Ipc.Rpc;

/// <summary>Where a <see cref="ProtoWriter"/> gets more room from when its span is full.</summary>
public interface IPayloadTarget
{
    /// <summary>Returns a larger span whose first <paramref name="written"/> bytes are those written so far.</summary>
    /// <param name="written">How many bytes of the span in use must survive.</param>
    /// <param name="needed">How many bytes more are needed at least; offering several times as many saves
    /// calls.</param>
    /// <returns>A span of at least <c>written + needed</c> bytes.</returns>
    /// <remarks>Throws a typed error of its own when the transport cannot carry that much; the writer passes it
    /// on.</remarks>
    Span<byte> Grow(int written, int needed);
}
