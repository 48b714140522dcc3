using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>The 64-bit word that says all about a slot of a queue or a topic; docs/wire-format.md section 8.</summary>
/// <remarks><code>
///  63           32 31        16 15     8 7      0
/// +---------------+------------+--------+--------+
/// |  lap          |  owner     | flags  | phase  |
/// +---------------+------------+--------+--------+
/// </code></remarks>
internal static class SlotState
{
    public const uint Free = 0;
    public const uint Writing = 1;
    public const uint Ready = 2;
    public const uint Reading = 3;
    public const uint Gap = 4; // only in a topic

    public const ulong PhaseMask = 0xFF;
    // the place, not the message: this position will not be used in the segment's turn
    public const ulong Sealed = 1 << 8;
    public const ulong Redelivered = 1 << 9; // its receiver died or left
    public const ulong Reclaimed = 1 << 10;  // only in a topic, with Gap: the message gave its loan up
    public const ulong FlagsMask = 0xFF00;
    public const ulong OwnerMask = 0xFFFF_0000;
    public const ulong LapMask = 0xFFFF_FFFF_0000_0000;
    public const int OwnerShift = 16;
    public const int LapShift = 32;

    /// <summary>A word without flags. Owner: participant index + 1, 0 nobody.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(uint lap, uint owner, uint phase) =>
        (ulong)lap << LapShift | (ulong)owner << OwnerShift | phase;

    /// <summary>A word of the lap in which a position lies, without flags.</summary>
    /// <param name="position">It may be beyond the 32 bits of a lap: they are cut.</param>
    /// <param name="slotShift">The logarithm of the number of slots.</param>
    /// <param name="owner">Participant index + 1, 0 nobody.</param>
    /// <param name="phase">What the slot is.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong At(ulong position, int slotShift, uint owner, uint phase) =>
        position >> slotShift << LapShift | (ulong)owner << OwnerShift | phase;

    /// <summary>Free in the lap after this word's; what belongs to the place stays.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong NextFree(ulong state) => ((state & LapMask) + (1UL << LapShift)) | (state & Sealed);

    /// <summary>The same word, for another owner and in another phase. Lap and flags stay.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong With(ulong state, uint owner, uint phase) =>
        (state & ~(OwnerMask | PhaseMask)) | (ulong)owner << OwnerShift | phase;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint LapOf(ulong state) => (uint)(state >> LapShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint OwnerOf(ulong state) => (uint)(state & OwnerMask) >> OwnerShift;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint PhaseOf(ulong state) => (uint)(state & PhaseMask);

    /// <summary>Nothing that a slot of a queue can be, when it is in the lap that is looked at.</summary>
    public static bool IsDamagedInQueue(ulong state) =>
        PhaseOf(state) > Reading || (PhaseOf(state) < Ready && (state & Redelivered) != 0) ||
        (state & FlagsMask & ~(Sealed | Redelivered)) != 0;

    /// <summary>How far the word's lap is ahead of another: laps are cut to 32 bits and compared as signed
    /// differences.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int LapsAhead(ulong state, uint lap) => (int)(LapOf(state) - lap);
}
