using System.Linq;

namespace Ipc.Tool;

/// <summary>The body of a region, by its kind.</summary>
internal static class KindInspector
{
    public static void Read(RegionLook look, KindNumber kind, RegionReport report, InspectionDepth depth)
    {
        switch (kind)
        {
            case KindNumber.OfRing:
                RingInspector.ReadRegion(look, report, depth);
                break;
            case KindNumber.OfListener:
                ListenerInspector.Read(look, report);
                break;
            case KindNumber.OfConnection:
                ConnectionInspector.Read(look, report, depth);
                break;
            case KindNumber.OfQueue:
                QueueInspector.Read(look, report, depth);
                break;
            case KindNumber.OfTopic:
                TopicInspector.Read(look, report, depth);
                break;
            case KindNumber.OfMutex:
                SyncInspector.ReadMutex(look, report);
                break;
            case KindNumber.OfSemaphore:
                SyncInspector.ReadSemaphore(look, report);
                break;
            case KindNumber.OfEvent:
                SyncInspector.ReadEvent(look, report);
                break;
            case KindNumber.OfNamedConnection:
                NamedInspector.Read(look, report, depth);
                break;
            default:
                report.Notes.Add($"{report.Kind} is not known to this version of the tool");
                break;
        }
    }

    public static void CheckMagic(uint found, uint expected, string what)
    {
        if (found != expected)
            throw new DamageException($"{what} magic 0x{found:X8}; 0x{expected:X8} was expected");
    }

    /// <summary>A processor's number, as regions write it: + 1. Null: nobody has said.</summary>
    public static int? Processor(uint word) => word == 0 ? null : (int)(word - 1);

    /// <summary>A participant holds something. Index + 1, as regions write it; who is not in the table is worth a note.</summary>
    public static void Hold(RegionReport report, uint owner, string what)
    {
        int index = (int)owner - 1;
        ParticipantReport? holder = report.Participants.FirstOrDefault(p => p.Index == index);
        report.Holdings.Add(new HoldingReport(index, holder?.Pid ?? 0, what));
        if (holder is null)
            report.Notes.Add($"participant {index} {what}, and is not there: the next recovery frees it");
    }
}
