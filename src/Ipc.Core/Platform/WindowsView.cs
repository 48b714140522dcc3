using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>A mapped region, with the objects that its waiters are slept at with.</summary>
/// <remarks>Whoever sleeps or wakes has an address. Which region that belongs to stands in a table of all mappings of
/// this process, which is replaced as a whole and searched without a lock.</remarks>
internal sealed unsafe class WindowsView : SafeBuffer
{
    private static readonly QuietLock s_lock = new();
    private static WindowsView[] s_views = []; // by address

    private readonly byte* _start;
    private readonly ulong _size;
    private readonly RegionIdentity _region;
    private readonly QuietLock _lock = new();
    private readonly Dictionary<ulong, WindowsSleepers> _sleepers = new(); // by the waiter's offset

    /// <param name="start">The mapping, from here on this object's.</param>
    /// <param name="size">Of it.</param>
    /// <param name="region">Says what the region is called by.</param>
    /// <param name="file">A handle of the view's own.</param>
    public WindowsView(byte* start, ulong size, RegionIdentity region, SafeFileHandle file)
        : base(ownsHandle: true)
    {
        _start = start;
        _size = size;
        _region = region;
        File = file;
        SetHandle((IntPtr)start);
        Initialize(size);
        s_lock.Enter();
        List<WindowsView> views = new(s_views);
        int after = views.FindIndex(view => view._start > start);
        views.Insert(after < 0 ? views.Count : after, this);
        s_views = views.ToArray();
        s_lock.Leave();
    }

    /// <summary>What pages are made through.</summary>
    public SafeFileHandle File { get; }

    /// <summary>The mapping that the address lies in; null: it is memory of this process alone.</summary>
    public static WindowsView? Find(void* address)
    {
        WindowsView[] views = s_views;
        int first = 0, end = views.Length;
        while (first < end)
        {
            int middle = (first + end) / 2;
            WindowsView view = views[middle];
            if (address < view._start)
                end = middle;
            else if (address >= view._start + view._size)
                first = middle + 1;
            else
                return view;
        }

        return null;
    }

    /// <summary>Who sleeps at the waiter with that word, which lies in this mapping.</summary>
    public WindowsSleepers SleepersOf(uint* word, ulong* asleep)
    {
        ulong offset = (ulong)((byte*)word - _start);
        _lock.Enter();
        try
        {
            if (!_sleepers.TryGetValue(offset, out WindowsSleepers? sleepers))
            {
                sleepers = new WindowsSleepers(asleep, new WindowsNames(_region.IdLow, _region.IdHigh, offset));
                _sleepers.Add(offset, sleepers);
            }

            return sleepers;
        }
        finally
        {
            _lock.Leave();
        }
    }

    /// <summary>Nobody uses the memory any more. If the file has lost its name by now, and nobody else has it mapped,
    /// it can go.</summary>
    protected override bool ReleaseHandle()
    {
        s_lock.Enter();
        s_views = Array.FindAll(s_views, view => view != this);
        s_lock.Leave();
        foreach (WindowsSleepers sleepers in _sleepers.Values)
            sleepers.Close();
        File.Dispose();
        bool unmapped = UnmapViewOfFile(handle) != 0;
        WindowsOs.DeleteDead(_region);
        return unmapped;
    }
}
