using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>Looks at regions without joining them.</summary>
/// <remarks>Whatever stands in the directory, the result is a report: what is wrong is said in it.</remarks>
internal static class Inspector
{
    /// <summary>Everything in the directory, by name. Empty when there is none.</summary>
    /// <param name="prefix">What stands before their names in what programs call them: that of the machine directory.</param>
    public static List<RegionReport> All(string directory, InspectionDepth depth, string prefix = "")
    {
        var reports = new List<RegionReport>();
        foreach (string name in Names(directory))
        {
            RegionReport? report = One(directory, name, depth, prefix);
            if (report is not null) // else it went between two looks
                reports.Add(report);
        }

        return reports;
    }

    public static IEnumerable<string> Names(string directory) => Directory.Exists(directory)
        ? Directory.GetFileSystemEntries(directory).Select(static path => Path.GetFileName(path)).Order(StringComparer.Ordinal)
        : [];

    /// <summary>What has that name; null when nothing has.</summary>
    public static RegionReport? One(string directory, string name, InspectionDepth depth, string prefix = "")
    {
        var report = new RegionReport { Name = prefix + name, Path = Path.Combine(directory, name) };
        RegionFile? file;
        try
        {
            file = Os.Current.OpenFileToLook(report.Path);
        }
        catch (IpcException error)
        {
            report.State = error.Status == IpcStatus.Corrupt ? RegionState.Foreign : RegionState.Unreadable;
            report.Damage.Add(error.Status == IpcStatus.Corrupt ? "a link: no region is one" : error.Message);
            return report;
        }

        if (file is null)
            return null;
        using var look = new RegionLook(file);
        report.Size = file.Length;
        report.Memory = file.MemoryBytes;
        try
        {
            Look(look, report, depth, directory);
        }
        catch (DamageException error)
        {
            report.Damage.Add(error.Message);
        }
        catch (Exception error) when (error is IpcException or IOException)
        {
            report.Damage.Add("could not be read to its end, it was cut short perhaps: " + error.Message);
        }

        if (report.Damage.Count > 0 && report.State is RegionState.Live or RegionState.Idle or RegionState.LeftOver)
            report.State = RegionState.Damaged;
        return report;
    }

    private static void Look(RegionLook look, RegionReport report, InspectionDepth depth, string directory)
    {
        if (!IsRegion(look, report))
            return;

        if (report.Size < RegionGeometry.MinSize)
        {
            report.State = RegionState.Damaged;
            report.Damage.Add($"{report.Size} bytes; a region has at least {RegionGeometry.MinSize}: it was cut short");
            return;
        }

        var header = MemoryMarshal.Read<RegionHeader>(Padded(look.Start(RegionHeader.ByteSize)));
        report.Kind = KindNames.Of(header.Kind);
        report.Version = $"{header.Major}.{header.Minor}";
        if (header.Major != RegionHeader.MajorVersion)
        {
            report.State = RegionState.OtherVersion;
            report.Damage.Add($"layout version {report.Version}; this tool reads {RegionHeader.MajorVersion}.{RegionHeader.MinorVersion}. Use the tool of that version.");
            return;
        }

        report.Id = $"{header.RegionIdHigh:x16}{header.RegionIdLow:x16}";
        report.Created = Times.FromUnix(header.Created);
        report.CreatorPid = header.CreatorPid;
        report.Lifetime = (Lifetime)header.Lifetime;
        report.Recoveries = header.Recoveries;
        bool hasNoNameYet = Path.GetFileName(report.Path).StartsWith("~tmp.", StringComparison.Ordinal);
        report.State = hasNoNameYet ? RegionState.Temporary : RegionState.Damaged;
        try
        {
            look.Geometry = RegionGeometry.Check(look.Start(RegionGeometry.CheckedBytes), look.File.Length, (KindNumber)header.Kind, report.Path);
        }
        catch (IpcException error)
        {
            if (!hasNoNameYet)
                report.Damage.Add(error.Message);
            return;
        }

        report.ParticipantCapacity = look.Geometry.ParticipantCapacity;
        report.Locked = look.IsRegionLocked;
        ParticipantInspector.Read(look, report);
        if (!hasNoNameYet)
            report.State = StateOf(header, report, directory);
        KindInspector.Read(look, (KindNumber)header.Kind, report, depth);
        if (report.State == RegionState.LeftOver && report.Lifetime == Lifetime.UntilEmpty && report.Unread is null or > 0)
            report.State = RegionState.Idle; // messages wait in it
        Explain(report);
    }

    private static bool IsRegion(RegionLook look, RegionReport report)
    {
        report.State = RegionState.Foreign;
        if (!look.File.IsRegular)
        {
            report.Damage.Add("not a regular file: no region is one");
            return false;
        }

        if (look.File.Stranger is { } stranger)
        {
            report.IsStrangers = true;
            report.Notes.Add($"it belongs to {stranger}: only {(RegionNames.IsOfMachine(report.Name) ? "who was given access" : "that user")} can join it");
        }

        byte[] start = look.Start(8);
        if (start.Length == 8 && BitConverter.ToUInt64(start) == RegionHeader.MagicValue)
            return true;
        report.Damage.Add(start.Length == 0 ? "an empty file: not a region" : $"starts with {Convert.ToHexString(start)}: not a region");
        return false;
    }

    private static RegionState StateOf(in RegionHeader header, RegionReport report, string directory)
    {
        if (header.State == RegionHeader.Retired)
            return RegionState.Retired;
        if (header.Kind == (uint)KindNumber.OfConnection)
            return ConnectionOwner.IsAlive(directory, Path.GetFileName(report.Path)) ? RegionState.Live : RegionState.LeftOver;
        if (report.Alive > 0)
            return RegionState.Live;
        return report.Lifetime == Lifetime.Persistent ? RegionState.Idle : RegionState.LeftOver;
    }

    private static void Explain(RegionReport report)
    {
        if (report.Dead > 0 && report.State == RegionState.Live)
            report.Notes.Add("a dead participant has not been cleaned up for yet: whoever waits or joins next does it");
        if (report.Participants.Any(static p => p.Alive && p.Stopped))
            report.Notes.Add("a participant's process is stopped: it lives, and keeps what it holds");
        if (report.State == RegionState.Idle && report.Unread > 0)
            report.Notes.Add($"nobody has it open, and {report.Unread} messages wait for a receiver; 'ipc rm' would delete them");
        if (report.Locked == true)
            report.Notes.Add("the region lock was held at this moment: if it stays so, who holds it is stopped");
    }

    private static byte[] Padded(byte[] start)
    {
        Array.Resize(ref start, RegionHeader.ByteSize);
        return start;
    }
}
