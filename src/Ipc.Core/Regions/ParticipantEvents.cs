using System;
using System.Diagnostics;
using System.Threading;

namespace Ipc;

/// <summary>Tells who attaches, leaves and dies: a thread that sleeps on the region's change waiter, and compares the
/// table with what it has seen.</summary>
/// <remarks>Who comes and goes between two looks is not seen. Of one whose place has a new occupant by then it is not
/// known how it ended: left is assumed, for a death is followed by a recovery, which is a look of its own.</remarks>
internal sealed unsafe class ParticipantEvents
{
    private readonly object _sender;
    private readonly Region _region;
    private readonly WaitControl _control;
    private readonly Crowd _crowd;
    private readonly ParticipantInfo?[] _known;
    private EventHandler<ParticipantChangedEventArgs>? _handlers;
    private bool _started;

    /// <summary>The control must be one that also wakes sleepers on the region's change waiter.</summary>
    public ParticipantEvents(object sender, Region region, WaitControl control, Crowd crowd)
    {
        _sender = sender;
        _region = region;
        _control = control;
        _crowd = crowd;
        _known = new ParticipantInfo?[region.Geometry.ParticipantCapacity];
    }

    /// <summary>The thread starts with the first handler, not before: it would tell nobody who is there.</summary>
    public void Add(EventHandler<ParticipantChangedEventArgs> handler)
    {
        _handlers += handler;
        if (_started || !_region.View.TryUse()) // the thread gives it back
            return;
        _started = true;
        OwnThread.Start(new Thread(Run) { IsBackground = true, Name = "ipc-participants" });
    }

    public void Remove(EventHandler<ParticipantChangedEventArgs> handler) => _handlers -= handler;

    private void Run()
    {
        try
        {
            ulong announcedAt = 0;
            WaiterWords* change = &_region.Header->Change;
            while (!_control.IsClosed)
            {
                _crowd.Attend();
                uint announced = Waiter.Announce(change);
                if (_control.IsClosed || Compare())
                    continue;
                ulong until = WaitControl.NextLook(ulong.MaxValue, Deadline.Never, ref announcedAt);
                Os.Current.Sleep(&change->Word, change->Asleep, announced, until);
            }
        }
        finally
        {
            _region.View.Unuse();
        }
    }

    /// <summary>True: something had changed.</summary>
    private bool Compare()
    {
        bool changed = false;
        for (int index = 0; index < _known.Length && !_control.IsClosed; index++)
        {
            ParticipantEntry* entry = _region.Entry(index);
            bool live = Atomic.LoadAcquire(ref entry->State) == ParticipantEntry.Live; // [live]
            uint ended = Atomic.LoadAcquire(ref entry->Ended);
            ParticipantInfo? known = _known[index];
            if (known is null ? !live : live && known.Generation == (int)Atomic.LoadAcquire(ref entry->Generation))
                continue;

            changed = true;
            if (known is not null)
            {
                _known[index] = null;
                Raise(
                    !live && ended == ParticipantEntry.EndedByDeath ? ParticipantChange.Died : ParticipantChange.Left,
                    known);
            }

            ParticipantInfo? now = ParticipantInfo.Of(_region, index);
            if (now is not null)
            {
                _known[index] = now;
                Raise(ParticipantChange.Attached, now);
            }
        }

        return changed;
    }

    private void Raise(ParticipantChange change, ParticipantInfo participant)
    {
        try
        {
            _handlers?.Invoke(_sender, new ParticipantChangedEventArgs(change, participant));
        }
#pragma warning disable CA1031 // a handler's failure is its author's; the thread lives on for the other handlers
        catch (Exception error)
#pragma warning restore CA1031
        {
            Trace.TraceError("A ParticipantChanged handler threw: " + error);
        }
    }
}
