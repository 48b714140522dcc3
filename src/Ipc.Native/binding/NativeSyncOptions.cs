using System;

namespace Ipc.Native;

/// <summary>How to open a mutex, a semaphore or an event: <c>ipc_sync_options</c>. What is 0 is the library's default; the first four are used only by whoever creates it.</summary>
public sealed class NativeSyncOptions
{
    /// <summary>A semaphore's: 1 to 4096; 0 is 1.</summary>
    public int Permits { get; set; }

    /// <summary>An event's: once set it stays so until it is reset; otherwise each set lets one wait pass.</summary>
    public bool ManualReset { get; set; }

    /// <summary>An event's.</summary>
    public bool InitiallySet { get; set; }

    /// <summary>How long it stays; one that exists must be as asked. Default: no wish; a new one goes with its last user.</summary>
    public NativeLifetime Lifetime { get; set; }

    /// <summary>Whether it may be made.</summary>
    public NativeOpenMode OpenMode { get; set; }

    /// <summary>How this object waits.</summary>
    public NativeWaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero is the library's, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>For <see cref="NativeOpenMode.Open"/>: until when to wait for a creator.</summary>
    public NativeDeadline Deadline { get; set; }

    /// <summary>With whom it is shared, for a name of the machine. By default this user.</summary>
    public NativeAccess? Access { get; set; }

    internal unsafe SyncOptionsData Data => new()
    {
        Permits = checked((uint)Permits),
        ManualReset = Convert.ToByte(ManualReset),
        InitiallySet = Convert.ToByte(InitiallySet),
        Lifetime = (int)Lifetime,
        OpenMode = (int)OpenMode,
        WaitMode = (int)WaitMode,
        SpinNs = SpinTime.Of(SpinLimit),
        Deadline = Deadline.Value,
    };
}
