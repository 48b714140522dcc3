using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Whether the producer of a stream that found no room looks again for a moment, before it gives its thread
/// back.</summary>
/// <remarks>
/// A consumer that keeps up makes room within microseconds; to be told of it and to be given a thread again takes a
/// hundred, in which it would run dry: 3.8 million items of 64 bytes a second with the default options, 4.6 with this
/// (medians of runs in turns; single ones reach 6.7). One that does not keep up is not worth the looks: after four
/// moments in vain, one after the other, sixteen waits come without one. One per stream, for the one thread at a time
/// that moves it on.
/// </remarks>
internal sealed class RoomSpin
{
    private const int Tolerated = 4;
    private const int Skipped = 16;
    private const int SpinsBetweenLooks = 50;
    // 100 us: with 50 it was too often in vain where the reader had to be woken first
    private static readonly TimeSpan _moment = TimeSpan.FromTicks(1000);

    private readonly bool _isUseless;
    private int _misses; // in a row
    private int _toSkip;
    private Deadline _until;

    public RoomSpin(WaitMode mode) => _isUseless = mode == WaitMode.Block || Processors.IsSpinningUseless;

    /// <summary>Begins a moment.</summary>
    /// <returns>Whether there is one.</returns>
    public bool TryBegin()
    {
        if (_isUseless || _toSkip-- > 0)
            return false;
        _until = Deadline.After(_moment);
        return true;
    }

    /// <summary>Waits a little.</summary>
    /// <returns>Whether to look again.</returns>
    public bool Turn()
    {
        Thread.SpinWait(SpinsBetweenLooks);
        if (!_until.HasPassed)
            return true;
        if (++_misses >= Tolerated)
            _toSkip = Skipped;
        return false;
    }

    /// <summary>There was room.</summary>
    public void Found() => _misses = _toSkip = 0;
}
