using System;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Reading for a moment on the thread of an asynchronous caller that is about to wait.</content>
/// <remarks>A reply that comes within it completes the call before it was ever suspended: no other thread is woken, nothing is allocated, and the caller goes on at
/// once. Where it does not pay, because replies take longer, it is tried ever more seldom.</remarks>
internal sealed partial class ClientChannel
{
    private const int MostSkips = 64;
    private const int MostAtOnce = 256; // frames: others' replies are completed on the way, but a caller is not kept for ever
    private const int SpinsBetweenLooks = 8;
    private const int LooksBetweenClocks = 16;

    private readonly TimeSpan _patience; // zero: does not spin
    private int _skips; // these two are hints: races cost a poll too many or too few
    private int _nextSkips = 1;

    /// <inheritdoc/>
    public override void Poll(PendingCall call)
    {
        if (_patience == TimeSpan.Zero || _skips > 0)
        {
            _skips--;
            ReadWhatIsThere();
            return;
        }

        bool came = PollFor(call, Deadline.After(_patience));
        if (came)
        {
            _nextSkips = 1;
        }
        else if (_waitMode != WaitMode.Spin)
        {
            _skips = _nextSkips;
            _nextSkips = Math.Min(MostSkips, _nextSkips * 2);
        }
    }

    private static TimeSpan PatienceOf(WaitMode mode)
    {
        if (mode == WaitMode.Block || Processors.IsSpinningUseless)
            return TimeSpan.Zero;
        return TimeSpan.FromTicks(mode == WaitMode.Spin ? 500 : 150); // 50 or 15 us: about what waking a thread takes
    }

    private bool PollFor(PendingCall call, Deadline deadline)
    {
        bool turn = false;
        try
        {
            for (int looks = 1; _ended is null; looks++)
            {
                turn = turn || _turn.TryTake();
                if (turn)
                    Drain();
                if (call.HasNews)
                    return true;
                if (looks % LooksBetweenClocks == 0 && deadline.HasPassed)
                    return false;
                Thread.SpinWait(SpinsBetweenLooks);
            }

            return call.HasNews;
        }
        finally
        {
            if (turn)
                LeaveTurn();
        }
    }

    /// <summary>Handles what is there. The caller has the turn.</summary>
    private void Drain()
    {
        try
        {
            for (int i = 0; i < MostAtOnce && _ended is null && _replies.TryRead(out RingRecord record); i++)
            {
                Handle(in record);
                _replies.Release();
            }
        }
        catch (CorruptRegionException e)
        {
            End(Corrupted(e));
        }
    }
}
