using System;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>Mutex, semaphore and event, docs/wire-format.md section 12.</summary>
internal static class SyncInspector
{
    public static void ReadMutex(RegionLook look, RegionReport report)
    {
        MutexHeader header = look.Read<MutexHeader>(look.Body, "a mutex");
        KindInspector.CheckMagic(header.Magic, MutexHeader.MagicValue, "mutex");
        bool abandoned = header.Owner == MutexHeader.Abandoned;
        uint owner = header.Owner & ~MutexHeader.Abandoned;
        if (owner != 0 && (owner != header.Owner || owner > (uint)look.Geometry.ParticipantCapacity))
            report.Damage.Add($"the owner's word is 0x{header.Owner:X8}, which is no owner's");
        else if (owner != 0)
            KindInspector.Hold(report, owner, "owns the mutex");
        if (abandoned)
            report.Notes.Add("its last owner died holding it: the next one is told");
        report.Depth = owner != 0 ? 1 : 0;
        report.DepthText = owner != 0 ? "held" : abandoned ? "abandoned" : "free";
        report.Sync = new SyncReport { Owner = owner == 0 ? null : (int)owner - 1, Abandoned = abandoned, Waiting = WaiterReport.Of(header.Waiting) };
    }

    public static void ReadSemaphore(RegionLook look, RegionReport report)
    {
        SemaphoreHeader header = look.Read<SemaphoreHeader>(look.Body, "a semaphore");
        KindInspector.CheckMagic(header.Magic, SemaphoreHeader.MagicValue, "semaphore");
        if (header.Permits is 0 or > SemaphoreHeader.MaxPermits)
            throw new DamageException($"a semaphore of {header.Permits} permits; 1 to {SemaphoreHeader.MaxPermits} were expected");
        byte[] table = new byte[header.Permits * sizeof(uint)];
        look.Read(look.Body + SemaphoreHeader.ByteSize, table, "the permits of a semaphore");
        ReadOnlySpan<uint> permits = MemoryMarshal.Cast<byte, uint>(table);
        int held = 0;
        bool abandoned = false;
        for (int index = 0; index < permits.Length; index++)
        {
            uint word = permits[index];
            abandoned |= word == SemaphoreHeader.AbandonedPermit;
            if ((word & ~SemaphoreHeader.AbandonedPermit) == 0)
                continue;
            if (word > (uint)look.Geometry.ParticipantCapacity)
            {
                report.Damage.Add($"permit {index}: the word 0x{word:X8} is no holder's");
                continue;
            }

            held++;
            KindInspector.Hold(report, word, $"holds permit {index}");
        }

        if (abandoned)
            report.Notes.Add("a holder died: whoever takes its permit next is told");
        report.Depth = held;
        report.DepthText = $"{held} of {header.Permits} held";
        report.Sync = new SyncReport { Permits = header.Permits, Held = held, Abandoned = abandoned, Waiting = WaiterReport.Of(header.Waiting) };
    }

    public static void ReadEvent(RegionLook look, RegionReport report)
    {
        EventHeader header = look.Read<EventHeader>(look.Body, "an event");
        KindInspector.CheckMagic(header.Magic, EventHeader.MagicValue, "event");
        if (header.Set > 1 || header.Manual > 1)
            report.Damage.Add($"an event with the words {header.Set} and {header.Manual}; 0 or 1 were expected");
        report.Depth = header.Set == 1 ? 1 : 0;
        report.DepthText = header.Set == 1 ? "set" : "not set";
        report.Sync = new SyncReport { Manual = header.Manual == 1, Set = header.Set == 1, Waiting = WaiterReport.Of(header.Waiting) };
    }
}
