using System;

namespace Ipc.Native;

/// <summary>How to open a queue: <c>ipc_queue_options</c>. What is 0 is the library's default; the geometry is used only when the queue is created.</summary>
public sealed class NativeQueueOptions
{
    /// <summary>Payload bytes of a block, 8 to 16 MiB; 0 is 1024.</summary>
    public int BlockSize { get; set; }

    /// <summary>Blocks of a segment, 2 to 2^20; 0 is 1024.</summary>
    public int BlockCount { get; set; }

    /// <summary>Further segments under load, 0 to 255.</summary>
    public int MaxExpansions { get; set; }

    /// <summary>The next segment is prepared when free blocks fall to this.</summary>
    public int MinExpansionDistance { get; set; }

    /// <summary>Memory for all expansions from the start.</summary>
    public bool Preallocate { get; set; }

    /// <summary>What a dead receiver held is dropped instead of received again.</summary>
    public bool DropOrphans { get; set; }

    /// <summary>How long the queue stays; one that exists must be as asked. Default: no wish; a new one stays until it is empty.</summary>
    public NativeLifetime Lifetime { get; set; }

    /// <summary>Queue objects that may be open at one time, 1 to 4096; 0 is 64.</summary>
    public int Participants { get; set; }

    /// <summary>Bytes for messages longer than a block; 0 is 256 MiB, -1 is none.</summary>
    public long LoanBudget { get; set; }

    /// <summary>Whether the queue may be made.</summary>
    public NativeOpenMode OpenMode { get; set; }

    /// <summary>How this object waits.</summary>
    public NativeWaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero is the library's, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>For <see cref="NativeOpenMode.Open"/>: until when to wait for a creator.</summary>
    public NativeDeadline Deadline { get; set; }

    /// <summary>A promise: one thread at a time uses this object, to dispose of it too.</summary>
    public bool SingleThreaded { get; set; }

    /// <summary>With whom it is shared, for a name of the machine. By default this user.</summary>
    public NativeAccess? Access { get; set; }

    internal unsafe QueueOptionsData Data => new()
    {
        BlockSize = checked((uint)BlockSize),
        BlockCount = checked((uint)BlockCount),
        MaxExpansions = checked((uint)MaxExpansions),
        MinExpansionDistance = checked((uint)MinExpansionDistance),
        Preallocate = Convert.ToByte(Preallocate),
        DropOrphans = Convert.ToByte(DropOrphans),
        SingleThread = Convert.ToByte(SingleThreaded),
        Lifetime = (int)Lifetime,
        Participants = checked((uint)Participants),
        LoanBudget = unchecked((ulong)LoanBudget), // -1 is IPC_NO_LOANS
        OpenMode = (int)OpenMode,
        WaitMode = (int)WaitMode,
        SpinNs = SpinTime.Of(SpinLimit),
        Deadline = Deadline.Value,
    };
}
