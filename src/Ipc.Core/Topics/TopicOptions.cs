using System;

namespace Ipc;

/// <summary>How to open an end of a topic. The geometry is used only by whoever creates it; the others take what is
/// there.</summary>
public sealed class TopicOptions
{
    /// <summary>Bytes of a message that stands in its slot, 8 to 16 MiB, rounded up to 8; longer ones travel as loans.
    /// Default: 1024.</summary>
    public int BlockSize { get; set; } = 1024;

    /// <summary>How many messages the topic holds: 2 to 2^20, rounded up to a power of two. Default: 1024.</summary>
    public int BlockCount { get; set; } = 1024;

    /// <summary>1 to 1024. Default: 64.</summary>
    public int MaxReaders { get; set; } = 64;

    /// <summary>1 to 3072. Default: 64.</summary>
    public int MaxWriters { get; set; } = 64;

    /// <summary>A second live writer is refused (<see cref="IpcStatus.InUse"/>): one source, whose order is the
    /// topic's.</summary>
    public bool SingleWriter { get; set; }

    /// <summary>What readers may choose. Default: everything.</summary>
    public TopicPolicies AllowedPolicies { get; set; } = TopicPolicies.All;

    /// <summary>Bytes for messages longer than a block, up to 64 GiB, present only as needed; 0: there are none.
    /// Default: 256 MiB.</summary>
    public long LoanBudget { get; set; } = 256L << 20;

    /// <summary>How long the topic stays. One that exists must be as asked (<see cref="IpcStatus.WrongLifetime"/>).
    /// Default: no wish; a new one goes with its last participant.</summary>
    public Lifetime Lifetime { get; set; }

    /// <summary>Create, attach, or either. Default: either.</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait for a creator. Default: not at all.
    /// <c>Timeout.InfiniteTimeSpan</c>: for ever.</summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>How this end waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero: as measured (50 us). With
    /// <see cref="WaitMode.Adaptive"/>.</summary>
    public TimeSpan SpinLimit { get; set; }
}
