namespace Ipc;

/// <summary>The words <c>send</c>, <c>receive</c> and <c>next</c> of a queue: {sequence : 48, segment : 16};
/// docs/wire-format.md section 9.</summary>
/// <remarks>A segment is used again once it is drained: the sequence tells its turns apart.</remarks>
internal static class QueueTurn
{
    private const int SegmentBits = 16;

    /// <summary>What <c>send</c> and <c>receive</c> are in a new queue.</summary>
    public const ulong First = 1UL << SegmentBits;

    public static uint SegmentOf(ulong turn) => (ushort)turn;

    /// <summary>How many turns lie between.</summary>
    public static ulong Between(ulong earlier, ulong later) => (later >> SegmentBits) - (earlier >> SegmentBits);

    /// <summary>The turn after this one, in that segment.</summary>
    public static ulong After(ulong turn, uint segment) => ((turn >> SegmentBits) + 1) << SegmentBits | segment;
}
