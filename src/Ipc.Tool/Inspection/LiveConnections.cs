using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>The connections of listeners, whose files lose their names when the server takes them.</summary>
/// <remarks>
/// A listener's slots say which there are and whose. What they hold is seen in the memory of the client or, where that is out of reach, of the server: the kernel lets a
/// user look into his own processes, unless it is told not to (kernel.yama.ptrace_scope). Then the memory alone is known, and the report says why.
/// </remarks>
internal static class LiveConnections
{
    private const ulong TotalSizeMargin = 4096;

    /// <summary>All regions, and behind each listener its connections.</summary>
    public static List<RegionReport> WithAll(string directory, InspectionDepth depth, string prefix = "")
    {
        List<RegionReport> reports = Inspector.All(directory, depth, prefix);
        var names = reports.Select(static report => report.Name).ToHashSet(StringComparer.Ordinal);
        var seen = new Dictionary<uint, ILookup<string, ProcessMapping>>();
        List<RegionReport> all = [];
        foreach (RegionReport report in reports)
        {
            all.Add(report);
            List<RegionReport> connections = [.. Of(report, depth, seen).Where(connection => !names.Contains(connection.Name))];
            all.AddRange(connections);
            Sum(report, connections);
        }

        return all;
    }

    /// <summary>The user's and, unless a directory was named, the machine's.</summary>
    public static List<RegionReport> WithAll((string Directory, string? Machine) places, InspectionDepth depth)
    {
        List<RegionReport> reports = WithAll(places.Directory, depth);
        if (places.Machine is not null)
            reports.AddRange(WithAll(places.Machine, depth, RegionNames.OfMachine));
        return reports;
    }

    /// <summary>One by its name, LISTENER~ID; null: there is none.</summary>
    public static RegionReport? One(string directory, string name, InspectionDepth depth, string prefix = "")
    {
        int mark = name.LastIndexOf('~');
        RegionReport? listener = mark > 0 ? Inspector.One(directory, name[..mark], InspectionDepth.Quick, prefix) : null;
        return listener is null ? null : Of(listener, depth, []).FirstOrDefault(report => report.Name == prefix + name);
    }

    private static IEnumerable<RegionReport> Of(RegionReport listener, InspectionDepth depth, Dictionary<uint, ILookup<string, ProcessMapping>> seen)
    {
        if (listener.Listener is null || listener.State != RegionState.Live || !RegionNames.IsPossible(listener.Name))
            yield break;
        uint server = listener.Participants.FirstOrDefault(static one => one is { Index: 0, Alive: true, ElsewhereInContainer: false })?.Pid ?? 0;
        foreach (ListenerSlotReport slot in listener.Listener.Slots.Where(static slot => slot is { State: "attached", Alive: true }))
        {
            string name = $"{listener.Name}~{slot.ConnectionId}";
            var report = new RegionReport { Name = name, Path = $"{listener.Path}~{slot.ConnectionId}", Kind = "connection", State = RegionState.Live, Id = slot.ConnectionId, ClientPid = slot.Pid, ServerPid = server };
            Look(report, [slot.Pid, server], depth, seen);
            yield return report;
        }
    }

    private static void Look(RegionReport report, uint[] pids, InspectionDepth depth, Dictionary<uint, ILookup<string, ProcessMapping>> seen)
    {
        string? problem = null;
        foreach (uint pid in pids.Where(static pid => pid != 0).Distinct())
        {
            if (!seen.TryGetValue(pid, out ILookup<string, ProcessMapping>? all))
                seen[pid] = all = ProcessMapping.Of(pid).ToLookup(static one => Path.GetFileName(one.Path), StringComparer.Ordinal);
            List<ProcessMapping> mappings = [.. all[report.Name]];
            if (mappings.Count == 0)
                continue;
            report.Memory = Math.Max(report.Memory, mappings.GroupBy(static one => one.Offset).Sum(static same => same.Max(static one => one.Present)));
            if (report.Connection is null)
                problem = TryRead(report, pid, mappings, depth) ?? problem;
        }

        if (report.Connection is not null)
            return;
        report.DepthText = "cannot be seen";
        report.Notes.Add(problem ?? "no process that this user may look at has it mapped");
    }

    /// <summary>What is in the way, or null.</summary>
    private static string? TryRead(RegionReport report, uint pid, List<ProcessMapping> mappings, InspectionDepth depth)
    {
        var found = new RegionReport { Name = report.Name, Path = report.Path, Kind = report.Kind, Id = report.Id };
        try
        {
            using var look = new MemoryLook(pid, mappings);
            byte[] start = look.Start(RegionGeometry.CheckedBytes);
            var header = MemoryMarshal.Read<RegionHeader>(Padded(start));
            look.Geometry = RegionGeometry.Check(start, (long)Math.Min(header.TotalSize, long.MaxValue - TotalSizeMargin), KindNumber.OfConnection, report.Path);
            ConnectionInspector.Read(look, found, depth);
            if (found.Damage.Count > 0)
                return found.Damage[0];
            report.Size = (long)header.TotalSize;
            report.Created = Times.FromUnix(header.Created);
            report.Connection = found.Connection;
            report.Depth = found.Depth;
            report.DepthText = found.DepthText;
            report.Counters = found.Counters;
            return null;
        }
        catch (UnauthorizedAccessException)
        {
            return $"the kernel does not let this user look into process {pid} (kernel.yama.ptrace_scope)";
        }
        catch (Exception error) when (error is DamageException or IpcException or IOException)
        {
            return "it changed while it was looked at, or is damaged: " + error.Message;
        }
    }

    /// <summary>What a listener has, all its connections together have. A rate is of connections that stay.</summary>
    private static void Sum(RegionReport listener, List<RegionReport> connections)
    {
        if (connections.Count == 0 || connections.Any(static one => one.Counters is null))
            return;
        long waiting = connections.Sum(static one => one.Depth ?? 0);
        listener.DepthText = $"{listener.DepthText}, {waiting} waiting";
        string id = string.Join(' ', connections.Select(static one => one.Id));
        listener.Counters = new Counters(
            id, "bytes", connections.Aggregate(0UL, static (sum, one) => sum + one.Counters!.In), connections.Aggregate(0UL, static (sum, one) => sum + one.Counters!.Out ?? 0));
    }

    private static byte[] Padded(byte[] start)
    {
        Array.Resize(ref start, Math.Max(start.Length, RegionHeader.ByteSize));
        return start;
    }
}
