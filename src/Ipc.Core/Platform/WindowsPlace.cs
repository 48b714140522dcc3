using System;

namespace Ipc;

/// <summary>A place at a waiter that this process owns: one of its threads at a time sleeps there.</summary>
internal sealed class WindowsPlace
{
    public WindowsPlace(WindowsSleepers sleepers, int number, IntPtr mark, IntPtr @event)
    {
        Sleepers = sleepers;
        Number = number;
        Mark = mark;
        Event = @event;
    }

    public WindowsSleepers Sleepers { get; }

    public int Number { get; }

    /// <summary>As long as it is open, the place is this process's.</summary>
    public IntPtr Mark { get; }

    public IntPtr Event { get; }

    /// <summary>A thread sleeps here, or is about to. Under the lock of <see cref="Sleepers"/>.</summary>
    public bool IsTaken { get; set; }
}
