using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>The participant table, and who of it lives.</summary>
internal static class ParticipantInspector
{
    public static void Read(RegionLook look, RegionReport report)
    {
        int capacity = look.Geometry.ParticipantCapacity;
        if (capacity == 0)
            return;
        byte[] table = new byte[capacity * ParticipantEntry.ByteSize];
        look.Read(look.Geometry.ParticipantOffset, table, "the participant table");
        for (int index = 0; index < capacity; index++)
        {
            var entry = MemoryMarshal.Read<ParticipantEntry>(table.AsSpan(index * ParticipantEntry.ByteSize));
            if (entry.State > ParticipantEntry.Live)
                report.Damage.Add($"participant {index}: state {entry.State}; 0 or 1 was expected");
            if (entry.State != ParticipantEntry.Live)
                continue;
            ParticipantReport participant = Describe(look, index, entry);
            report.Participants.Add(participant);
            if (participant.Alive)
                report.Alive++;
            else
                report.Dead++;
        }
    }

    private static ParticipantReport Describe(RegionLook look, int index, in ParticipantEntry entry)
    {
        bool elsewhere = entry.PidNamespace != 0 && entry.PidNamespace != Os.Current.Self.PidNamespace;
        bool alive = Region.IsAlive(look.File, index);
        bool visible = alive && !elsewhere;
        return new ParticipantReport
        {
            Index = index,
            Generation = entry.Generation,
            Pid = entry.Pid,
            Process = visible ? ProcessLook.NameOf(entry.Pid) : null,
            Alive = alive,
            Stopped = visible && ProcessLook.IsStopped(entry.Pid),
            Roles = Roles((ParticipantRole)entry.Role),
            Runtime = entry.Runtime switch { ParticipantEntry.RuntimeC => "C", ParticipantEntry.RuntimeCSharp => "C#", _ => "unknown" },
            Since = Times.FromUnix(entry.Attached),
            Spin = alive ? SpinReport.Of(entry.Spin) : null, // how the dead waited is no news
            RoomSpin = alive ? SpinReport.Of(entry.RoomSpin) : null,
            ElsewhereInContainer = elsewhere,
        };
    }

    private static string[] Roles(ParticipantRole role)
    {
        var roles = new List<string>();
        if ((role & ParticipantRole.Writer) != 0)
            roles.Add("writer");
        if ((role & ParticipantRole.Reader) != 0)
            roles.Add("reader");
        if ((role & ParticipantRole.Server) != 0)
            roles.Add("server");
        if ((role & ParticipantRole.Client) != 0)
            roles.Add("client");
        return [.. roles];
    }
}
