using System;
using System.IO;

namespace Ipc.Tcp;

/// <summary>The way is good, and nobody has used it for as long as this end bears that.</summary>
internal sealed class WireIsIdleException : IOException
{
    public WireIsIdleException(TimeSpan limit)
        : base($"Nothing was sent in either direction for {limit.TotalSeconds:0.###} s.")
    {
    }
}
