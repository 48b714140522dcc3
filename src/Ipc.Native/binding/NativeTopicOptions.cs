using System;

namespace Ipc.Native;

/// <summary>How to open a topic: <c>ipc_topic_options</c>. What is 0 is the library's default; the geometry is used only when the topic is created.</summary>
public sealed class NativeTopicOptions
{
    /// <summary>Payload bytes of a slot, 8 to 16 MiB; 0 is 1024.</summary>
    public int BlockSize { get; set; }

    /// <summary>Slots, 2 to 2^20; 0 is 1024.</summary>
    public int BlockCount { get; set; }

    /// <summary>1 to 1024; 0 is 64.</summary>
    public int MaxReaders { get; set; }

    /// <summary>1 to 3072; 0 is 64.</summary>
    public int MaxWriters { get; set; }

    /// <summary>A second live writer is refused.</summary>
    public bool SingleWriter { get; set; }

    /// <summary>Bytes for messages longer than a slot; 0 is 256 MiB, -1 is none.</summary>
    public long LoanBudget { get; set; }

    /// <summary>How long the topic stays; one that exists must be as asked. Default: no wish; a new one goes with its last participant.</summary>
    public NativeLifetime Lifetime { get; set; }

    /// <summary>Whether the topic may be made.</summary>
    public NativeOpenMode OpenMode { get; set; }

    /// <summary>How this participant waits.</summary>
    public NativeWaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero is the library's, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>For <see cref="NativeOpenMode.Open"/>: until when to wait for a creator.</summary>
    public NativeDeadline Deadline { get; set; }

    /// <summary>A reader's: what happens when it is too slow.</summary>
    public NativePolicy Policy { get; set; }

    /// <summary>A reader's: where it begins.</summary>
    public NativeJoin Join { get; set; }

    /// <summary>With whom it is shared, for a name of the machine. By default this user.</summary>
    public NativeAccess? Access { get; set; }

    internal unsafe TopicOptionsData Data => new()
    {
        BlockSize = checked((uint)BlockSize),
        BlockCount = checked((uint)BlockCount),
        MaxReaders = checked((uint)MaxReaders),
        MaxWriters = checked((uint)MaxWriters),
        SingleWriter = Convert.ToByte(SingleWriter),
        LoanBudget = unchecked((ulong)LoanBudget), // -1 is IPC_NO_LOANS
        Lifetime = (int)Lifetime,
        OpenMode = (int)OpenMode,
        WaitMode = (int)WaitMode,
        SpinNs = SpinTime.Of(SpinLimit),
        Deadline = Deadline.Value,
        Policy = (int)Policy,
        Join = (int)Join,
    };
}
