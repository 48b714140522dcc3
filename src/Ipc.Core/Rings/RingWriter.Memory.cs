using System;

namespace Ipc;

/// <summary>Memory that comes with use: the first lap of a connection's ring, whose data begins as a hole.</summary>
public sealed unsafe partial class RingWriter
{
    /// <summary>Nobody waits long for memory that a record does not need yet.</summary>
    private const ulong MostAhead = 1 << 20;

    /// <summary>A full disk may get room, which nobody signals.</summary>
    private ulong LongestSleepForRoom => _present == ulong.MaxValue ? ulong.MaxValue : LongestSleep;

    /// <summary>Makes memory for a record that ends there and for the header behind it; twice as much as there was, if
    /// there is so much. A full disk is "full" here, and never a fault later; but what the own pool keeps of free
    /// blocks is had first.</summary>
    private bool TryMakePresent(ulong end)
    {
        ulong needed = InPages(end + RecordHeader.Line);
        ulong ample = InPages(_present + Math.Min(_present, MostAhead));
        if ((ample > needed && TryReach(ample)) || TryReach(needed))
            return true;
        Geometry.Pool?.Trim(_owner);
        return TryReach(needed);
    }

    private bool TryReach(ulong to)
    {
        ulong from = Geometry.DataOffset + _present, length = to - _present;
        if (!Os.Current.Populate(Geometry.File, View.Base, from, length))
        {
            _ = Os.Current.GiveBackPages(View.Base, from, length); // it may have come to a part of them
            return false;
        }

        FaultPoints.Pass(FaultPoints.RingGrowPresent);
        _present = to == _capacity ? ulong.MaxValue : to;
        SetLimit(_freeSeen);
        return true;
    }

    /// <summary>Behind the lap: what is padded there needs all of it.</summary>
    private ulong InPages(ulong bytes) =>
        Math.Min((bytes + RingHeader.DataAlignment - 1) & ~(ulong)(RingHeader.DataAlignment - 1), _capacity);
}
