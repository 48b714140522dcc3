using System;

namespace Ipc;

/// <summary>How an object waits, as its options say.</summary>
internal readonly struct WaitStyle
{
    /// <summary>For waits that no option is about.</summary>
    public WaitStyle(WaitMode mode, ulong longestSpin = 0)
    {
        Mode = mode;
        LongestSpin = longestSpin;
    }

    public WaitMode Mode { get; }

    /// <summary>In ns; 0: as measured.</summary>
    public ulong LongestSpin { get; }

    /// <summary>Throws what nobody may ask for.</summary>
    public static WaitStyle Of(WaitMode mode, TimeSpan spinLimit)
    {
        if (mode is < WaitMode.Adaptive or > WaitMode.Block)
            Throw.Status(
                IpcStatus.InvalidArgument, $"A wait mode of {mode} was asked for; there are Adaptive, Spin and Block.");
        if (spinLimit < TimeSpan.Zero)
            Throw.Status(
                IpcStatus.InvalidArgument, $"A spin limit of {spinLimit} was asked for; it cannot be negative.");
        return new WaitStyle(mode, (ulong)spinLimit.Ticks * 100);
    }
}
