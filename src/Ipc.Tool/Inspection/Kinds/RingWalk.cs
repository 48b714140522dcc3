namespace Ipc.Tool;

/// <summary>What was found between a ring's read position and its tail.</summary>
internal readonly record struct RingWalk(ulong ReadPosition, ulong Tail, long Records, bool More);
