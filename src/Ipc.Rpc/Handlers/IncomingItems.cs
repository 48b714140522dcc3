using System;

namespace Ipc.Rpc;

/// <summary>The stream that a caller sends, as whoever reads the connection sees it.</summary>
internal abstract class IncomingItems
{
    /// <summary>An item has come.</summary>
    /// <returns>Why the call has to end; <see langword="null"/> while all is well.</returns>
    public abstract RpcFailure? OnItem(in FrameHeader header, ReadOnlySpan<byte> body);

    /// <summary>The caller has sent everything.</summary>
    public abstract void OnEnd();

    /// <summary>There will be no more: who waits for an item gets this, after the items that have come.</summary>
    public abstract void Fail(Exception reason);

    /// <summary>The call is over: nobody refers to the stream any more but whoever still enumerates it.</summary>
    public abstract void Over();
}
