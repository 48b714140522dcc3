using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>Sleeping at waiters of regions, and at words that are this process's alone.</summary>
internal sealed unsafe partial class WindowsOs
{
    private const ulong Millisecond = 1_000_000;
    private const ulong LongestWait = INFINITE - 1; // ms

    [ThreadStatic]
    private static List<WindowsPlace>? t_places; // of the sleep that the thread is in

    public override int MaxSleepWords => MAXIMUM_WAIT_OBJECTS;

    [MethodImpl(Tiering.Optimized)]
    public override void Sleep(uint* word, ulong* asleep, uint expected, ulong deadline)
    {
        SleepWord one = new(word, asleep, expected);
        SleepOnAny(&one, 1, deadline);
    }

    [MethodImpl(Tiering.Optimized)]
    public override void SleepOnAny(SleepWord* words, int count, ulong deadline)
    {
        IntPtr* events = stackalloc IntPtr[MAXIMUM_WAIT_OBJECTS];
        int found = 0;
        bool isCrowded = false, isOwn = false;
        List<WindowsPlace> places = t_places ??= new();
        try
        {
            for (int i = 0; i < count; i++)
            {
                if (IsAmong(words, i, words[i].Word))
                    continue;
                WindowsView? view = words[i].Asleep == null ? null : WindowsView.Find(words[i].Word);
                if (view is null)
                {
                    IntPtr own = OwnSleepers.LieDown(words[i].Word);
                    if (!isOwn)
                        events[found++] = own;
                    isOwn = true;
                }
                else if (view.SleepersOf(words[i].Word, words[i].Asleep).LieDown() is { } place)
                {
                    places.Add(place);
                    events[found++] = place.Event;
                }
                else
                {
                    isCrowded = true;
                }
            }

            for (int i = 0; i < count; i++)
            {
                if (Atomic.LoadAcquire(ref *words[i].Word) != words[i].Expected) // [signal] after LieDown
                    return;
            }

            // Who has no place looks again soon.
            uint milliseconds = isCrowded ? 1 : UntilThen(deadline);
            if (found == 0)
                WindowsNative.Sleep(milliseconds);
            else if (WaitForMultipleObjects((uint)found, events, 0, milliseconds) == WAIT_FAILED)
                Failed("WaitForMultipleObjects");
        }
        finally
        {
            foreach (WindowsPlace place in places)
                place.Sleepers.Rise(place);
            places.Clear();
            if (isOwn)
                OwnSleepers.Rise();
        }
    }

    [MethodImpl(Tiering.Optimized)]
    public override void Wake(uint* word, ulong* asleep)
    {
        if (asleep == null || WindowsView.Find(word) is not { } view)
        {
            OwnSleepers.Wake(word);
            return;
        }

        Atomic.Fence(); // [signal] the word was changed before
        if (IsAnybody(asleep))
            view.SleepersOf(word, asleep).Wake();
    }

    private static bool IsAnybody(ulong* asleep)
    {
        for (int i = 0; i < WindowsSleepers.Words; i++)
        {
            if (Atomic.LoadAcquire(ref asleep[i]) != 0) // [signal]
                return true;
        }

        return false;
    }

    /// <summary>The first event of a waiter that every participant has: others who have its name could keep us from
    /// waking each other.</summary>
    public override void CheckSleep(RegionFile file, string path, ulong offset)
    {
        SecurityAttributes ours = WindowsSecurity.Objects;
        WindowsNames names = new(file.Identity.IdLow, file.Identity.IdHigh, offset);
        IntPtr @event = CreateEventW(&ours, 0, 0, names.EventOf(0));
        if (@event == IntPtr.Zero)
        {
            int error = Marshal.GetLastWin32Error();
            Throw.Status(
                IpcStatus.AccessDenied,
                $"The event that participants of {path} sleep at is not to be had: {TextOf(error)}. Another user has " +
                "made an object of its name; end that user's program.",
                error);
        }

        _ = CloseHandle(@event);
    }

    /// <summary>Rounded up: a wait never ends for a time that has not passed.</summary>
    private uint UntilThen(ulong deadline)
    {
        if (deadline == ulong.MaxValue)
            return INFINITE;
        ulong now = Now();
        return deadline <= now ? 0 : (uint)Math.Min((deadline - now + Millisecond - 1) / Millisecond, LongestWait);
    }

    private static bool IsAmong(SleepWord* words, int count, uint* word)
    {
        for (int i = 0; i < count; i++)
        {
            if (words[i].Word == word)
                return true;
        }

        return false;
    }
}
