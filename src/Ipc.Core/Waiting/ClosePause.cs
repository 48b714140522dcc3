using System.Threading;

namespace Ipc;

/// <summary>The pause between two looks of a thread that closes an object and waits until the others are out of
/// it.</summary>
/// <remarks>
/// Looking again is right here, and being told would not be: who leaves a call would have to ask each time whether
/// somebody closes, which is a fence on a path of five nanoseconds, for something that happens once in an object's
/// life. The wait is short (those inside are awake or have been woken, and look at "closed" next), and it ends at a
/// deadline, for a thread inside may be stopped. The first pauses only give the processor away: mostly that is enough.
/// </remarks>
internal static class ClosePause
{
    private const int Yields = 10;

    /// <param name="attempt">How many looks there have been.</param>
    public static void Take(int attempt) =>
        Uninterrupted.Do(static milliseconds => Thread.Sleep(milliseconds), attempt < Yields ? 0 : 1);
}
