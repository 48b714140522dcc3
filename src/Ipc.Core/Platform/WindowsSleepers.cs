using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>Who sleeps at one waiter of a region; docs/wire-format/windows.md section 5.</summary>
/// <remarks>
/// A wake must reach everybody who sleeps, whatever value of the word they saw, and who comes later must not take it
/// from them. So each sleeper has a place of its own, with an event that nobody else waits for, and a bit in the waiter
/// says that it sleeps. A place belongs to the process in which its mark is open, and is free when that dies. An event
/// that is set for nobody is an early end of the next sleep there. Any thread.
/// </remarks>
internal sealed unsafe class WindowsSleepers
{
    public const int Words = 6;

    private const int Bits = 64;
    private const int Places = Words * Bits;

    private readonly ulong* _asleep;
    private readonly WindowsNames _names;
    private readonly QuietLock _lock = new();
    private readonly List<WindowsPlace> _own = new();         // under the lock, like the next
    private readonly Dictionary<int, IntPtr> _events = new(); // by place; of others, too

    public WindowsSleepers(ulong* asleep, in WindowsNames names)
    {
        _asleep = asleep;
        _names = names;
    }

    /// <summary>Makes a place this thread's, until <see cref="Rise"/>, and says that somebody sleeps there. Null: none
    /// is to be had. A full fence.</summary>
    public WindowsPlace? LieDown()
    {
        WindowsPlace? place;
        _lock.Enter();
        try
        {
            place = _own.Find(static own => !own.IsTaken) ?? FindNew();
            if (place is null)
                return null;
            place.IsTaken = true;
        }
        finally
        {
            _lock.Leave();
        }

        if (Atomic.TryOr(&_asleep[place.Number / Bits], 1UL << (place.Number % Bits))) // [signal]
            return place;
        Rise(place);
        return null;
    }

    public void Rise(WindowsPlace place)
    {
        Atomic.TryAnd(&_asleep[place.Number / Bits], ~(1UL << (place.Number % Bits)));
        _lock.Enter();
        place.IsTaken = false;
        _lock.Leave();
    }

    /// <summary>Wakes all who sleep. The word has been changed by an access that is a full fence.</summary>
    public void Wake()
    {
        for (int word = 0; word < Words; word++)
        {
            ulong asleep = Atomic.LoadAcquire(ref _asleep[word]); // [signal]
            for (int bit = 0; asleep != 0; bit++, asleep >>= 1)
            {
                if ((asleep & 1) != 0)
                    Wake(word * Bits + bit);
            }
        }
    }

    /// <summary>Nobody sleeps or wakes here any more: the memory goes.</summary>
    public void Close()
    {
        foreach (WindowsPlace place in _own)
            _ = CloseHandle(place.Mark);
        foreach (IntPtr @event in _events.Values)
            _ = CloseHandle(@event);
    }

    private void Wake(int place)
    {
        _lock.Enter();
        try
        {
            IntPtr @event = EventOfSleeper(place);
            if (@event != IntPtr.Zero)
                _ = SetEvent(@event);
        }
        finally
        {
            _lock.Leave();
        }
    }

    /// <summary>The first place that nobody owns; who owned it may have been killed there.</summary>
    private WindowsPlace? FindNew()
    {
        for (int number = 0; number < Places; number++)
        {
            if (!TryMark(number, out IntPtr mark))
                continue;
            IntPtr @event = EventOf(number);
            if (@event != IntPtr.Zero)
            {
                WindowsPlace place = new(this, number, mark, @event);
                _own.Add(place);
                return place;
            }

            _ = CloseHandle(mark); // its event is somebody else's: the place is left out
        }

        return null;
    }

    private bool TryMark(int number, out IntPtr mark)
    {
        SecurityAttributes ours = WindowsSecurity.Objects;
        mark = CreateEventW(&ours, 0, 0, _names.MarkOf(number));
        if (mark != IntPtr.Zero && Marshal.GetLastWin32Error() != ERROR_ALREADY_EXISTS)
            return true;
        if (mark != IntPtr.Zero)
            _ = CloseHandle(mark);
        return false;
    }

    /// <summary>Zero: there is none. Who sleeps has its event open, so one that does not exist wakes nobody: it is not
    /// made, for a bit of a dead sleeper, or words that somebody hostile wrote, would cost all others a handle
    /// each.</summary>
    private IntPtr EventOfSleeper(int place)
    {
        if (!_events.TryGetValue(place, out IntPtr @event))
        {
            @event = OpenEventW(EVENT_MODIFY_STATE | SYNCHRONIZE, 0, _names.EventOf(place));
            if (@event != IntPtr.Zero)
                _events.Add(place, @event);
        }

        return @event;
    }

    /// <summary>Zero: it is not to be had.</summary>
    private IntPtr EventOf(int place)
    {
        if (!_events.TryGetValue(place, out IntPtr @event))
        {
            SecurityAttributes ours = WindowsSecurity.Objects;
            @event = CreateEventW(&ours, 0, 0, _names.EventOf(place));
            if (@event != IntPtr.Zero)
                _events.Add(place, @event);
        }

        return @event;
    }
}
