using System;

namespace Ipc.Matrix;

/// <summary>A way to send bytes that the system offers: each call is one system call or more, and blocks.</summary>
internal interface IByteChannel : IDisposable
{
    void Open(string name, Side side);

    void Send(ReadOnlySpan<byte> bytes);

    /// <summary>Fills all of <paramref name="bytes"/>.</summary>
    void Receive(Span<byte> bytes);
}
