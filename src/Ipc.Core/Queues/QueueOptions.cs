using System;

namespace Ipc;

/// <summary>How to open a queue. The sizes only take effect when the queue is created; an existing queue keeps its
/// own.</summary>
public sealed class QueueOptions
{
    /// <summary>Payload bytes of a block, 8 to 16 MiB, rounded up to a multiple of 8. Longer messages are sent as
    /// loans. Default: 1024.</summary>
    public int BlockSize { get; set; } = 1024;

    /// <summary>Blocks of a segment, 2 to 1,048,576, rounded up to a power of two. Default: 1024.</summary>
    public int BlockCount { get; set; } = 1024;

    /// <summary>By how many segments of the same size the queue may grow when it is full, 0 to 255. Default:
    /// none.</summary>
    public int MaxExpansions { get; set; }

    /// <summary>The next segment is added when only this many blocks of the current one are free; 0: when it is
    /// full.</summary>
    public int MinExpansionDistance { get; set; }

    /// <summary>Reserves the memory for all expansions when the queue is created.</summary>
    public bool Preallocate { get; set; }

    /// <summary>Messages that a dead receiver held are dropped instead of delivered again.</summary>
    public bool DropOrphans { get; set; }

    /// <summary>How long the queue exists. An existing one must have this lifetime
    /// (<see cref="IpcStatus.WrongLifetime"/>). Default: any; a new one exists until it is empty.</summary>
    public Lifetime Lifetime { get; set; }

    /// <summary>Promises that only one thread at a time uses the object and disposes it; any thread may call Stop and
    /// Resume. Dispose then undoes open claims at once, without waiting for other threads. Sending and receiving cost
    /// the same with and without it. Debug builds of the library check the promise at each wait.</summary>
    public bool SingleThreaded { get; set; }

    /// <summary>How many objects may have the queue open at once, in all processes together: 1 to 4096. Default:
    /// 64.</summary>
    public int Participants { get; set; } = 64;

    /// <summary>Memory for messages longer than a block, in bytes, rounded up to 4096; allocated when it is needed. 0:
    /// such messages are refused. Default: 256 MiB; 8 MiB in a process of 32 bits.</summary>
    public long LoanBudget { get; set; } = PoolGeometry.DefaultBudget;

    /// <summary>Whether to open an existing one, to create one, or either (the default).</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait until somebody creates it. Default: not at
    /// all. <c>Timeout.InfiniteTimeSpan</c>: without limit.</summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>With whom it is shared, for a name of the machine (<c>machine/NAME</c>). Default: programs of this
    /// user.</summary>
    public Access Access { get; set; } = Access.User;

    /// <summary>How this object waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest time to spin before sleeping. Default (zero): 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    internal QueueOptions Copy() => (QueueOptions)MemberwiseClone();
}
