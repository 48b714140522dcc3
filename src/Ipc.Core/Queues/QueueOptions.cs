using System;

namespace Ipc;

/// <summary>How to open a queue. The sizes are used only by whoever creates it; everybody else takes them from the
/// region.</summary>
public sealed class QueueOptions
{
    /// <summary>Payload bytes of a block, 8 to 16 MiB, rounded up to a multiple of 8. Longer messages travel as loans.
    /// Default: 1024.</summary>
    public int BlockSize { get; set; } = 1024;

    /// <summary>Blocks of a segment, 2 to 1,048,576, rounded up to a power of two. Default: 1024.</summary>
    public int BlockCount { get; set; } = 1024;

    /// <summary>How many further segments of the same size the queue may take under load, 0 to 255. Default:
    /// none.</summary>
    public int MaxExpansions { get; set; }

    /// <summary>The next segment is prepared when the free blocks of the present one fall to this many; 0: when it is
    /// full.</summary>
    public int MinExpansionDistance { get; set; }

    /// <summary>Memory for all expansions from the start.</summary>
    public bool Preallocate { get; set; }

    /// <summary>What a dead receiver held is dropped, not delivered again.</summary>
    public bool DropOrphans { get; set; }

    /// <summary>How long the queue stays. One that exists must be as asked (<see cref="IpcStatus.WrongLifetime"/>).
    /// Default: no wish; a new one stays until it is empty.</summary>
    public Lifetime Lifetime { get; set; }

    /// <summary>Promises that one thread at a time uses the object, to dispose it too; Stop and Resume may come from
    /// any. Dispose then undoes claims that are open at once, and waits for nobody. Sending and receiving cost the same
    /// either way: nothing in them is for other threads of this process. Debug builds of the library check the promise
    /// at each wait.</summary>
    public bool SingleThreaded { get; set; }

    /// <summary>How many objects may have the queue open at a time, in all processes together: 1 to 4096. Default:
    /// 64.</summary>
    public int Participants { get; set; } = 64;

    /// <summary>Memory for messages longer than a block, in bytes, rounded up to 4096; taken when it is needed. 0: such
    /// messages are refused. Default: 256 MiB.</summary>
    public long LoanBudget { get; set; } = 256L << 20;

    /// <summary>Create, attach, or either. Default: either.</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait for a creator. Default: not at all.
    /// <c>Timeout.InfiniteTimeSpan</c>: for ever.</summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>How this object waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping. Default (zero): as measured, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    internal QueueOptions Copy() => (QueueOptions)MemberwiseClone();
}
