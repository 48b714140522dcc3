using System.IO;

namespace Ipc.Tcp;

/// <summary>The way is good, and nobody has used it for as long as this end bears that.</summary>
internal sealed class WireIsIdleException : IOException
{
    /// <param name="limit">Milliseconds.</param>
    public WireIsIdleException(long limit)
        : base($"Nothing was sent in either direction for {limit / 1000.0:0.###} s.")
    {
    }
}
