using System;

namespace Ipc.Rpc;

/// <summary>Pauses between attempts that a server answers at once, and in vain: none before the first, then ever longer
/// ones.</summary>
internal struct BackOff
{
    private const int Shortest = 5; // milliseconds
    private const int Longest = 100;

    private int _next;

    /// <summary>The pause before the next attempt.</summary>
    public TimeSpan Next()
    {
        int pause = _next;
        _next = Math.Min(Longest, Math.Max(Shortest, pause * 2));
        return TimeSpan.FromMilliseconds(pause);
    }
}
