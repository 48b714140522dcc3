using System;

namespace Ipc;

/// <summary>How to open a writer or reader of a topic. The sizes only take effect when the topic is created; an
/// existing topic keeps its own.</summary>
public sealed class TopicOptions
{
    /// <summary>Payload bytes of a block, 8 to 16 MiB, rounded up to a multiple of 8; longer messages are sent as
    /// loans. Default: 1024.</summary>
    public int BlockSize { get; set; } = 1024;

    /// <summary>How many messages the topic holds: 2 to 2^20, rounded up to a power of two. Default: 1024.</summary>
    public int BlockCount { get; set; } = 1024;

    /// <summary>How many readers there may be at once, 1 to 1024. Default: 64.</summary>
    public int MaxReaders { get; set; } = 64;

    /// <summary>How many writers there may be at once, 1 to 3072. Default: 64.</summary>
    public int MaxWriters { get; set; } = 64;

    /// <summary>Allows only one live writer; a second one is refused (<see cref="IpcStatus.InUse"/>).</summary>
    public bool SingleWriter { get; set; }

    /// <summary>The policies that readers may choose. Default: all.</summary>
    public TopicPolicies AllowedPolicies { get; set; } = TopicPolicies.All;

    /// <summary>Memory for messages longer than a block, in bytes, up to 64 GiB; allocated when it is needed. 0: such
    /// messages are refused. Default: 256 MiB; 8 MiB in a process of 32 bits.</summary>
    public long LoanBudget { get; set; } = PoolGeometry.DefaultBudget;

    /// <summary>How long the topic exists. An existing one must have this lifetime
    /// (<see cref="IpcStatus.WrongLifetime"/>). Default: any; a new one is removed with its last participant.</summary>
    public Lifetime Lifetime { get; set; }

    /// <summary>Whether to open an existing one, to create one, or either (the default).</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait until somebody creates it. Default: not at
    /// all. <c>Timeout.InfiniteTimeSpan</c>: without limit.</summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>With whom it is shared, for a name of the machine (<c>machine/NAME</c>). Default: programs of this
    /// user.</summary>
    public Access Access { get; set; } = Access.User;

    /// <summary>How this writer or reader waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest time to spin before sleeping, with <see cref="WaitMode.Adaptive"/>. Default (zero):
    /// 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }
}
