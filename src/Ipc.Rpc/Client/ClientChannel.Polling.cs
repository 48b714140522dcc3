using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Reading for a moment on the thread of an asynchronous caller that is about to wait.</content>
/// <remarks>A reply that comes within it completes the call before it was ever suspended: no other thread is woken,
/// nothing is allocated, and the caller goes on at once. The wait is that of a synchronous call, bounded: it learns
/// whether to spin. Where it does not pay, because replies take longer, it is tried more seldom.</remarks>
internal sealed partial class ClientChannel
{
    private const int MostSkips = 8;
    private const int SpinsBetweenLooks = 8;
    private const int LooksBetweenClocks = 16;
    private const int MostBytesAhead = 16 * 1024; // the first item is not to wait for long ones behind it

    private readonly TimeSpan _patience; // zero: does not spin
    private int _skips; // these two are hints: races cost a poll too many or too few
    private int _nextSkips;

    /// <summary>How often a thread has read for a call that it was going to wait for: for tests.</summary>
    internal int Polls { get; private set; }

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    public override void Poll(PendingCall call)
    {
        if (_patience == TimeSpan.Zero || _skips > 0)
        {
            _skips--;
            if (call.ReadsAhead == 0)
                ReadWhatIsThere();
            else
                ReadItemsThatAreThere(call);
            return;
        }

        Polls++;
        if (PollFor(call))
        {
            _nextSkips = 0;
        }
        else if (_waitMode != WaitMode.Spin)
        {
            _skips = _nextSkips;
            // one that did not come may have been an accident
            _nextSkips = Math.Min(MostSkips, Math.Max(1, _nextSkips * 2));
        }
    }

    private static TimeSpan PatienceOf(WaitMode mode)
    {
        if (mode == WaitMode.Block || Processors.IsSpinningUseless)
            return TimeSpan.Zero;
        return TimeSpan.FromTicks(1000); // 100 us: about what it takes to wake the reading thread and then the caller's
    }

    [MethodImpl(Tiering.Optimized)]
    private bool PollFor(PendingCall call)
    {
        Deadline deadline = default;
        bool hasDeadline = false; // the clock costs as much as the frame that is there already
        while (_ended is null && !call.HasNews)
        {
            if (_turn.TryTake())
            {
                try
                {
                    IpcStatus status = ReadOne(Deadline.Now, CancellationToken.None);
                    if (!call.HasNews && status is (IpcStatus.Ok or IpcStatus.Timeout))
                        WaitFor(call, hasDeadline ? deadline : Deadline.After(_patience));
                    if (call.ReadsAhead != 0)
                        ReadAhead(call.ReadsAhead);
                }
                finally
                {
                    LeaveTurn();
                }

                return call.HasNews;
            }

            if (!hasDeadline)
            {
                deadline = Deadline.After(_patience);
                hasDeadline = true;
            }

            for (int looks = 0; looks < LooksBetweenClocks && !call.HasNews; looks++)
                Thread.SpinWait(SpinsBetweenLooks);
            if (deadline.HasPassed)
                break;
        }

        return call.HasNews;
    }

    /// <summary>As a synchronous caller waits: it sleeps at once where the server needs this processor.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void WaitFor(PendingCall call, Deadline deadline)
    {
        for (int frames = 1; !call.HasNews && ReadOne(deadline, CancellationToken.None) == IpcStatus.Ok; frames++)
        {
            if (frames % FramesBetweenLooks == 0 && deadline.HasPassed)
                break; // others' come without end
        }
    }

    /// <summary>For one that does not wait: until there is an item, and some besides.</summary>
    private void ReadItemsThatAreThere(PendingCall call)
    {
        if (!_turn.TryTake())
            return;

        try
        {
            for (int frames = 0; frames < MostFramesAtOnce && _ended is null && !call.HasNews; frames++)
            {
                if (ReadOne(Deadline.Now, CancellationToken.None) != IpcStatus.Ok)
                    return;
            }

            ReadAhead(call.ReadsAhead);
        }
        finally
        {
            LeaveTurn();
        }
    }

    /// <summary>Reads items that are there besides: to come back for each of them costs more than the item.</summary>
    /// <remarks>The first one is here, and waits for this: so no longer than until the system's coarse clock moves,
    /// whatever the codec does, and not while frames of others may come, which may run any code.</remarks>
    [MethodImpl(Tiering.Optimized)]
    private void ReadAhead(int frames)
    {
        int began = Environment.TickCount;
        for (long most = _received + MostBytesAhead; frames > 0 && _received < most && _ended is null; frames--)
        {
            if (!NobodyElseWaits || Environment.TickCount != began)
                break;
            if (ReadOne(Deadline.Now, CancellationToken.None) != IpcStatus.Ok)
                break;
        }
    }

    private bool NobodyElseWaits => _callee is null && !_turn.HasWaiters && _background.IsOnlyWatching;
}
