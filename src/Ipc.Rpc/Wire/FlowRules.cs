namespace Ipc.Rpc;

/// <summary>What an item counts for, and how much there may be of items; docs/rpc-protocol.md section 6.</summary>
internal static class FlowRules
{
    /// <summary>Bytes of a stream that may be sent without having been given credit for.</summary>
    public const int FirstBytes = 64 * 1024;

    /// <summary>To which a window grows whose producer waits for credit while its consumer waits for items.</summary>
    public const int LargestWindow = 4 * 1024 * 1024;

    /// <summary>More credit than this is not credit.</summary>
    public const long MaxCredit = 1L << 31;

    /// <summary><see cref="FrameHeader.Code"/> of an item whose sender had to wait for credit.</summary>
    public const ushort Waited = 1;

    private const int Line = 64;
    private const int RecordHeaderSize = 8;

    /// <summary>What an item counts for: its record's place in a ring, whether it travels there or not.</summary>
    public static long CostOf(int frameLength) => ((long)frameLength + RecordHeaderSize + Line - 1) & -Line;

    /// <summary>The same as the ring has it: what is too long for a record is a line there.</summary>
    public static int LinesOf(int frameLength, long ringCapacity) =>
        IsLoan(frameLength, ringCapacity) ? Line : (int)CostOf(frameLength);

    /// <summary>Whether a frame is too long for a record of the ring.</summary>
    public static bool IsLoan(int frameLength, long ringCapacity) =>
        frameLength > (ringCapacity / 2) - RecordHeaderSize;
}
